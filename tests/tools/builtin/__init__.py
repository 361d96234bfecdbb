"""Tests of built-in tools."""
