"""What agents get of the catalogue."""
