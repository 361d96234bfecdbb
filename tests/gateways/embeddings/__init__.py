"""Embedding servers."""
