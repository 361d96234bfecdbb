"""Recorded calls, run again."""
