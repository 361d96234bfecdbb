"""Tools of other MCP servers: called with FastMCP's client through the gateway's guarded channel."""
