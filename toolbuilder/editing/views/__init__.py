"""The pages of the editor; tests in tests/toolbuilder/editing."""
