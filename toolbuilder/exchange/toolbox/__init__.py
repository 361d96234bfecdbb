"""The tools.yaml of MCP Toolbox, read and written; tests/toolbuilder/exchange/toolbox."""
