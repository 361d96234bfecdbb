"""The command palette; tests in tests/toolbuilder/palette."""
