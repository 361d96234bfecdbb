"""Test cases of tools: kept, run, in the way of a red publication, and each night; may import toolbuilder.editing."""
