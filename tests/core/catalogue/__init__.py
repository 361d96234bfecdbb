"""Tests of the catalogue as plain data."""
