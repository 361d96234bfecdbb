"""Tests of toolbuilder.palette."""
