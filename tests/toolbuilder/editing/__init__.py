"""Tests of toolbuilder.editing."""
