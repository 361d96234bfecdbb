"""How tools are found: one index of served tools, its vectors and those of questions; tests in tests/tools/finding."""
