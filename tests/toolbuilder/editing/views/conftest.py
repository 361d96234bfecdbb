"""A tool that people try."""

import pytest

from tests.factories import make_tool
from tests.toolbuilder.editing.views.trials import COUNT, INTEGER
from tools.models import ToolDefinition


@pytest.fixture
def count(db: None) -> ToolDefinition:
    """A tool that counts up to `most`."""
    return make_tool(COUNT, name="count", parameters=[INTEGER])
