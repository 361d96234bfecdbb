"""Databases and HTTP services that people register, check and use; tests/catalog/sources."""
