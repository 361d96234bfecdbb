"""Files that people upload as tables; may import catalog.sources and gateways. Tests: tests/catalog/files."""
