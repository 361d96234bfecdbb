"""The first page: what needs attention, what is called, how agents connect; tests in tests/toolbuilder/dashboard."""
