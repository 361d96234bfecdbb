"""What a tool was: versions, differences, restoring; tests in tests/toolbuilder/history."""
