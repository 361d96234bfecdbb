"""Tests on real parts; the tree mirrors the code."""
