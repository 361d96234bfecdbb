"""Pydantic models of what the session keeps and of what tools answer; they import pydantic and mcp's types."""
