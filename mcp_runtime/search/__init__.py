"""The search for served tools: an index that follows them, and what is kept of searches. Knows no FastMCP."""
