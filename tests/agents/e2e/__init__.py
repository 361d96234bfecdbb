"""The agent as a whole: scripted model, real MCP server, real database, real files."""
