"""Agents that use the server as any client does: over MCP; each folder is an app of `adk web agents`."""
