"""The catalogue's pages. May import all of catalog and below."""
