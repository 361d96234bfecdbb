"""Tests of toolbuilder.preferences."""
