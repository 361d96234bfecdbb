"""Tests of the documentation in the product."""
