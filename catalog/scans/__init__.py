"""Scans: reading the schemas of data sources into rows."""
