"""Which tables and columns a tool uses; tests in tests/tools/uses."""
