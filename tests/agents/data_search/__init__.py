"""The agent's parts, each with real ADK objects and real HTTP beside them."""
