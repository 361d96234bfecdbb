"""Commands of data sources."""
