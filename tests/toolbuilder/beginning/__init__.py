"""Tests of toolbuilder.beginning."""
