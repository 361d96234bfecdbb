"""Tests of mcp_runtime."""
