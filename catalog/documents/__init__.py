"""Reference documents: loaded from files and the catalogue, searched, and turned into vectors."""
