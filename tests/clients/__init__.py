"""MCP clients that nobody here wrote, against a runtime on real rows."""
