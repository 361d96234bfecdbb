"""Script processes."""
