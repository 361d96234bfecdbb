"""Commands of the embedded services."""
