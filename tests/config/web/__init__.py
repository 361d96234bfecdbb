"""Tests of config.web."""
