"""Rows as another program writes them: letters' case does not matter, anything else gets a reason."""

import pytest
from django.contrib.auth.models import User
from django.db import connection

from core.toolspec import ExpressionLogic, HttpLogic, ParameterType, Presence, SqlLogic
from tests.factories import make_tool
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import archive, publish_tool, set_all_active
from toolbuilder.listing.tool_list import ToolListState, filter_tools
from tools.definitions import ToolDocument
from tools.models import QuarantinedTool, ToolDefinition, ToolParameter
from tools.registry import read_served_rows, store_quarantine

pytestmark = pytest.mark.django_db

INSERT = """
INSERT INTO h_custom_tool (name, tool_type, definition, is_active) VALUES ('t', %s, %s, %s)
RETURNING id
"""
INSERT_PARAMETER = """
INSERT INTO h_custom_tool_param (tool_id, param_name, param_type, is_required) VALUES (%s, 'a', %s, %s)
"""


def insert(
    *, tool_type: str = "SQL", definition: str = "SELECT 1 AS one", is_active: str = "Y"
) -> ToolDefinition:
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [tool_type, definition, is_active])
    return ToolDefinition.objects.get()


def insert_parameter(param_type: str = "STRING", is_required: str = "Y") -> ToolParameter:
    tool = insert(definition="SELECT :a AS a")
    with connection.cursor() as cursor:
        cursor.execute(INSERT_PARAMETER, [tool.pk, param_type, is_required])
    return tool.parameters.get()


def read_reason(tool: ToolDefinition) -> str:
    return str(read_served_rows().unreadable[tool.pk])


@pytest.mark.parametrize("written", ["Y", "y", " y\n"])
def test_tool_is_active_in_any_case_of_letters(written: str) -> None:
    tool = insert(is_active=written)

    assert [spec.id for spec in read_served_rows().specs] == [tool.pk]
    assert tool.is_active is True


@pytest.mark.parametrize("written", ["N", "n"])
def test_tool_is_inactive_in_any_case_of_letters(written: str) -> None:
    tool = insert(is_active=written)

    assert not read_served_rows().fingerprints
    assert tool.is_active is False


@pytest.mark.parametrize(
    ("tool_type", "logic"),
    [
        ("sql", SqlLogic("1 + 1")),
        ("Python", ExpressionLogic("1 + 1")),
        ("http ", HttpLogic("1 + 1")),
    ],
)
def test_kind_is_read_in_any_case_of_letters(
    tool_type: str, logic: SqlLogic | ExpressionLogic | HttpLogic
) -> None:
    tool = insert(tool_type=tool_type, definition="1 + 1")

    listed = filter_tools(
        ToolListState(kind=tool_type.strip().upper()), User.objects.create_superuser("admin")
    )

    assert ToolDocument.model_validate({"tool_type": tool_type}).tool_type == tool.tool_type
    assert list(listed) == [tool]
    if not isinstance(logic, HttpLogic):
        assert [spec.logic for spec in read_served_rows().specs] == [logic]


def test_update_is_read_in_any_case_of_letters() -> None:
    tool = insert()

    with connection.cursor() as cursor:
        cursor.execute("UPDATE h_custom_tool SET is_active = 'n', result_format = 'csv'")

    tool.refresh_from_db()
    assert (tool.is_active, tool.result_format) == (False, "CSV")


def test_parameter_is_read_in_any_case_of_letters() -> None:
    row = insert_parameter("string_list", "n")

    [parameter] = read_served_rows().specs[0].parameters

    assert row.param_type == "STRING_LIST"
    assert parameter.type is ParameterType.STRING_LIST
    assert parameter.presence is Presence.OPTIONAL_NULL


@pytest.mark.parametrize("written", ["YES", "true", "1", "", "Ｙ"])
def test_tool_of_which_nobody_can_say_whether_it_is_active_gets_a_reason(written: str) -> None:
    tool = insert(is_active=written)

    assert read_reason(tool) == f"is_active must be Y or N (got {written.upper()!r})"


@pytest.mark.parametrize(
    ("param_type", "is_required", "reason"),
    [
        ("STRING", "YES", "a: is_required must be Y or N (got 'YES')"),
        ("float", "Y", "a: param_type must be one of STRING, NUMBER, BOOLEAN, "),
    ],
)
def test_parameter_that_cannot_be_read_gets_a_reason(
    param_type: str, is_required: str, reason: str
) -> None:
    row = insert_parameter(param_type, is_required)

    assert read_reason(row.tool).startswith(reason)


def test_tool_of_which_nobody_can_say_whether_it_is_active_is_listed_as_broken() -> None:
    tool = insert(is_active="1")
    store_quarantine(read_served_rows().unreadable)

    admin = User.objects.create_superuser("admin")

    assert not filter_tools(ToolListState(state="inactive"), admin)
    assert list(filter_tools(ToolListState(state="active"), admin)) == [tool]
    assert list(filter_tools(ToolListState(state="broken"), admin)) == [tool]


@pytest.mark.parametrize("is_active", [True, False])
def test_switch_mends_a_tool_of_which_nobody_can_say_whether_it_is_active(is_active: bool) -> None:
    tool = insert(is_active="1")

    assert set_all_active([tool.pk], is_active=is_active, username="ann")

    assert ToolDefinition.objects.get().is_active is is_active


def test_publishing_mends_a_parameter_that_cannot_be_read() -> None:
    row = insert_parameter(is_required="1")

    publish_tool(open_draft(row.tool, "ann"), "ann")

    row.refresh_from_db()
    assert row.is_required is True
    assert not read_served_rows().unreadable


def test_write_of_another_column_leaves_what_cannot_be_read() -> None:
    tool = insert(is_active="1")

    tool.title = "Title"
    tool.save()

    assert read_reason(tool) == "is_active must be Y or N (got '1')"


def test_archived_tool_is_never_served_whatever_its_row_says() -> None:
    tool = make_tool()
    archive([tool.pk], "ann")

    with connection.cursor() as cursor:
        cursor.execute("UPDATE h_custom_tool SET is_active = 'YES'")

    assert not read_served_rows().fingerprints
    assert not QuarantinedTool.objects.exists()
