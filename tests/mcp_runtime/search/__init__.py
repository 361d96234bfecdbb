"""Tests of the search for tools."""
