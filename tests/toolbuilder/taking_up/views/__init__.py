"""Tests of the pages for documents and MCP servers."""
