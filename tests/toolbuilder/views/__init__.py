"""Tests of the pages of tools and of the dashboard."""
