"""Tests of toolbuilder.old_names."""
