"""Reference documents: loaded from files and the catalogue, turned into vectors; tests/catalog/documents."""
