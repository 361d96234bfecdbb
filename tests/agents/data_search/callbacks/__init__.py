"""The callbacks, called as ADK calls them."""
