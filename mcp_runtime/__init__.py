"""The served side: rows become MCP tools over HTTP. The only place that knows FastMCP."""
