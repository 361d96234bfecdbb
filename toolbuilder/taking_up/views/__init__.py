"""The pages for OpenAPI documents and other MCP servers; tests in tests/toolbuilder/taking_up."""
