"""DuckDB databases and files as data sources."""
