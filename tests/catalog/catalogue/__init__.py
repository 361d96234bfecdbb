"""The data catalogue."""
