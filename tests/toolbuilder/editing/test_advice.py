"""Advice on stored tools."""

import pytest

from config.demo.loading import load_tools
from core.errors import DefinitionError
from tests.factories import make_tool
from toolbuilder.editing.advice import advise_draft, advise_tools
from tools.models import ToolDefinition
from tools.specs import build_spec

pytestmark = pytest.mark.django_db


def test_ready_tools_get_advice_only_where_it_is_true() -> None:
    load_tools()

    found = {name: [one.code for one in advice] for name, advice in advise_tools().items()}

    # These two are given in so many words by who ordered them.
    told = {name: codes for name, codes in found.items() if codes}
    assert told == {
        "get_user_daily_limit": ["description_when"],
        "multiply_numbers": ["description_when"],
    }
    assert len(found) >= 17


def test_tool_that_cannot_be_read_is_a_problem() -> None:
    make_tool("SELECT 1", name="broken", result_format="XML")

    (advice,) = advise_tools(["broken"])["broken"]

    assert advice.text.startswith("result_format must be one of")


def test_unknown_tool_is_refused() -> None:
    with pytest.raises(DefinitionError, match="there is no tool nowhere"):
        advise_tools(["nowhere"])


def test_draft_is_not_compared_with_the_tool_that_it_will_replace() -> None:
    tool = make_tool("SELECT 1 AS n", name="one", description_agent="Use it to get a one. " * 3)
    tool = ToolDefinition.objects.get(pk=tool.pk)

    assert advise_draft(build_spec(tool, [])) == []
