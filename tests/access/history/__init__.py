"""Tests of what becomes of recorded calls."""
