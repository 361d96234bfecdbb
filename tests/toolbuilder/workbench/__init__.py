"""Tests of toolbuilder.workbench."""
