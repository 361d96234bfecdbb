"""Browsers of people, a scripted model and a served side."""

from tests.people import _english, admin, staff_with
from tests.toolbuilder.playground.fixtures import model, served_side

__all__ = ["_english", "admin", "model", "served_side", "staff_with"]
