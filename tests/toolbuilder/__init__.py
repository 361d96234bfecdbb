"""Tests of toolbuilder."""
