"""Chroma; may import core and httptools."""
