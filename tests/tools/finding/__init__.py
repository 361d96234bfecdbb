"""Tests of how tools are found."""
