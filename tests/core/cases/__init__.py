"""Tests of core.cases."""
