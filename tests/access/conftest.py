"""Browsers of people with and without rights."""

from tests.people import _english, admin, staff_with

__all__ = ["_english", "admin", "staff_with"]
