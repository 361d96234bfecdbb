"""Runtimes that serve built-in tools."""

from tests.mcp_runtime.conftest import psql, serve

__all__ = ["psql", "serve"]
