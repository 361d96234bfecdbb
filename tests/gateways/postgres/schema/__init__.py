"""Readers of the tables of data sources, on real databases."""
