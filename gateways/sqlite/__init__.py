"""SQLite files as data sources; may import core."""
