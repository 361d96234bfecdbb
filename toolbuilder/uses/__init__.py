"""Which tools use a data source or a table, on the pages of these; tests in tests/toolbuilder/uses."""
