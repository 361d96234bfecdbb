"""Requests sent both ways: through the direct lane, and through FastMCP alone."""
