"""Statements that try to hurt, and honest ones that look alike, on real data sources."""
