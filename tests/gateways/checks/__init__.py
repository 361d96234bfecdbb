"""Checks of connections."""
