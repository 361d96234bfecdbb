"""Metrics and traces of a runtime."""
