"""Tests of the pages of the editor."""
