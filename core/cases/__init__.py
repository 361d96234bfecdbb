"""Test cases of tools: their documents, what they expect, and whether an outcome is that; may import core only."""
