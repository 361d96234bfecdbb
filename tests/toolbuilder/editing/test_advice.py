"""Advice on stored tools."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

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


@pytest.mark.parametrize("name", ["sales_by_stores", "SalesByStore", "sales-by-store"])
def test_draft_is_told_of_tools_with_nearly_its_name(name: str) -> None:
    make_tool("SELECT 1 AS n", name=name, description_agent="Use it for one. " * 3)
    draft = ToolDefinition(name="sales_by_store", description_agent="Use it for two. " * 3)

    codes = [advice.code for advice in advise_draft(build_spec(draft, []))]

    assert "name_alike" in codes


def test_draft_is_told_of_tools_with_its_description() -> None:
    text = "Use it for the sales of one store."
    make_tool("SELECT 1 AS n", name="other", description_agent=f" {text.upper()} ")
    draft = ToolDefinition(name="sales_by_store", description_agent=text)

    codes = [advice.code for advice in advise_draft(build_spec(draft, []))]

    assert "description_equal" in codes


def test_neighbours_of_a_draft_are_found_by_indexes() -> None:
    draft = ToolDefinition(name="sales_by_store", description_agent="Use it for the sales.")
    with CaptureQueriesContext(connection) as asked:
        advise_draft(build_spec(draft, []))
    sql = next(one["sql"] for one in asked if "md5" in one["sql"].lower())

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {sql}".replace("%", "%%"))
        plan = "\n".join(line for (line,) in cursor)

    assert "h_custom_tool_folded_name" in plan
    assert "h_custom_tool_folded_text" in plan
