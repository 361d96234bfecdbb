"""SQLite files as data sources."""
