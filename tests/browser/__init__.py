"""Tests in a real browser; run by `make browser` in a pytest call of their own."""
