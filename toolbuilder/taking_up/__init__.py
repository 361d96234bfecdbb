"""Tools of OpenAPI documents and of other MCP servers; tests in tests/toolbuilder/taking_up."""
