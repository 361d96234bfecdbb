"""Tests of toolsets and of what a key sees."""
