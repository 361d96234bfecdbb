"""Tests of toolbuilder.history."""
