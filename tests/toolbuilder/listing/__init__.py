"""Tests of toolbuilder.listing."""
