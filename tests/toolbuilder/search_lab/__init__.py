"""Tests of the search lab."""
