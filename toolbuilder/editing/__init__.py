"""The editor: drafts, their analysis, trials and publishing; tests in tests/toolbuilder/editing."""
