"""Finding tables by their words; tests/catalog/searching."""
