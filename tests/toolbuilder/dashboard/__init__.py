"""Tests of toolbuilder.dashboard."""
