"""What agents get of the catalogue: entries, answers, the REST API; tests/catalog/serving."""
