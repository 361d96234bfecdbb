"""Tests of toolbuilder.taking_up."""
