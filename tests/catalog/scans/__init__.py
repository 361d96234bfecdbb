"""Scans of real databases."""
