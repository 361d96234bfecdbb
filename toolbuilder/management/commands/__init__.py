"""Commands of tools."""
