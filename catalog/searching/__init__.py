"""Finding tables by their words."""
