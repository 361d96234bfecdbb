"""The pages of tables: the list, a table with its tabs; tests/catalog/browsing."""
