"""Tests of the pages of calls and keys."""
