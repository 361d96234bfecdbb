"""Tests of core.ingest: descriptions of tools by others, honest and hostile."""
