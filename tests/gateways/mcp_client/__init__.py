"""Lists of tools of other MCP servers, real and lying."""
