"""Browsers of people with and without rights, and a tool that they try."""

import pytest

from tests.factories import make_tool
from tests.people import _english, admin, staff_with
from tests.toolbuilder.views.trials import COUNT, INTEGER
from tools.models import ToolDefinition

__all__ = ["_english", "admin", "staff_with"]


@pytest.fixture
def count(db: None) -> ToolDefinition:
    """A tool that counts up to `most`."""
    return make_tool(COUNT, name="count", parameters=[INTEGER])
