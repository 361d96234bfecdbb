"""Callbacks of the agents, named as ADK calls them; they import google.adk and the modules beside them."""
