"""Tools that every installation has. They know ToolCaller's answers and data sources, not FastMCP."""
