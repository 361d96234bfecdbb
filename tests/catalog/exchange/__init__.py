"""Descriptions in files."""
