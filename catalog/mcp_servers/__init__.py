"""Other MCP servers: how they are reached; tests/toolbuilder/test_mcp_servers.py."""
