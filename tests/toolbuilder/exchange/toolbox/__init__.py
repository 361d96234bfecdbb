"""The format of MCP Toolbox, with its own examples."""
