"""A tool's rows, its document and its hash say the same, whatever wrote the rows."""

from typing import Any

import pytest
from django.db import connection

from tests.factories import make_tool
from tools.models import ToolDefinition
from tools.snapshots import (
    ParameterSnapshot,
    ToolSnapshot,
    assign_columns,
    build_rows,
    hash_document,
    read_document,
    read_snapshot,
    write_parameters,
)

WHOLE = ToolSnapshot(
    name="whole",
    title="전체",
    description_agent="Two\r\nlines",
    definition="SELECT :a, :b",
    row_limit=5,
    annotations={"readOnlyHint": True},
    tags=["x", "y"],
    parameters=(
        ParameterSnapshot(
            param_name="a",
            param_type="NUMBER",
            is_required=False,
            default=1.0,
            allowed_values=[1, 2.5],
            minimum="1",
        ),
        ParameterSnapshot(param_name="b", binding="CLAIM", bound_value="tenant", pattern="x+"),
    ),
)


def stored(snapshot: ToolSnapshot) -> ToolDefinition:
    tool = ToolDefinition(name="t", definition="")
    assign_columns(tool, snapshot)
    tool.save()
    write_parameters(tool, snapshot)
    return ToolDefinition.objects.whole().get()


@pytest.mark.django_db
def test_rows_say_what_the_snapshot_says() -> None:
    snapshot = read_snapshot(stored(WHOLE))

    assert snapshot == WHOLE
    assert snapshot.content_hash == WHOLE.content_hash


def test_document_gives_the_snapshot_back() -> None:
    assert read_document(WHOLE.to_document()) == WHOLE


def test_unsaved_rows_are_numbered_from_1() -> None:
    _tool, rows = build_rows(WHOLE)

    assert [(row.param_name, row.position) for row in rows] == [("a", 1), ("b", 2)]


@pytest.mark.django_db
def test_odd_json_of_another_program_is_kept() -> None:
    tool = make_tool(parameters=["a"])
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE h_custom_tool SET annotations = '[]', tags = 'null', is_active = 'x'"
        )
        cursor.execute("UPDATE h_custom_tool_param SET allowed_values = 'null', \"default\" = '7'")

    snapshot = read_snapshot(ToolDefinition.objects.get(pk=tool.pk))

    assert (snapshot.annotations, snapshot.tags) == ([], [])
    assert (snapshot.parameters[0].allowed_values, snapshot.parameters[0].default) == ([], 7)
    assert read_document(snapshot.to_document()) == snapshot


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="order of keys"),
        pytest.param([1, 2], (1.0, 2.0), id="whole numbers"),
        pytest.param({"n": 1e22}, {"n": 10**22}, id="large numbers"),
    ],
)
def test_same_json_has_the_same_hash(one: Any, other: Any) -> None:
    assert hash_document(one) == hash_document(other)


@pytest.mark.parametrize(
    "other",
    [{"a": "1"}, {"a": True}, {"a": 1.5}, {"a": None}, {}, {"a": [1]}],
    ids=str,
)
def test_other_json_has_another_hash(other: Any) -> None:
    assert hash_document(other) != hash_document({"a": 1})


def test_number_as_a_bound_is_text() -> None:
    document = {"parameters": [{"param_name": "a", "minimum": 5, "maximum": 7.5}]}

    [parameter] = read_document(document).parameters

    assert (parameter.minimum, parameter.maximum) == ("5", "7.5")
