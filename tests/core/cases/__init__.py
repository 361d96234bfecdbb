"""Test cases as documents."""
