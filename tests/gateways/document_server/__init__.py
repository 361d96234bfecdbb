"""The client of a remote data catalogue."""
