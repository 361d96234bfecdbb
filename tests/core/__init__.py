"""Tests of core: pure, no service."""
