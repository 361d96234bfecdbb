"""Test cases: rows, runs and the gate."""
