"""The documentation where it is needed: pages, search, texts of panes, reference, keys and the tour; tests in tests/toolbuilder/help."""
