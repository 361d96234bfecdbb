"""Descriptions in files: export, and import with its differences; tests/catalog/exchange."""
