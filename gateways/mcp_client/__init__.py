"""Requests to other MCP servers: a guarded channel, and a client that reads their lists of tools. May import core."""
