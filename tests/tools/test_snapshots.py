"""A tool's rows, its document and its hash say the same, whatever wrote the rows."""

import hashlib
import json
from typing import Any

import pytest
from django.db import connection

from tests.factories import make_tool
from tools.definitions import (
    ParameterDocument,
    ToolDocument,
    write_columns,
    write_parameters,
)
from tools.models import ToolDefinition

WHOLE = ToolDocument(
    name="whole",
    title="전체",
    description_agent="Two\r\nlines",
    descriptions={"ko": "두 줄"},
    record_arguments="names",
    definition="SELECT :a, :b",
    row_limit=5,
    breaker_errors=3,
    breaker_minutes=10,
    plan_cost_limit=5_000,
    chart={"kind": "bar", "across": "a", "height": "b", "colour": "", "largest_first": True},
    annotations={"readOnlyHint": True},
    tags=["x", "y"],
    parameters=(
        ParameterDocument(
            param_name="a",
            param_type="NUMBER",
            is_required=False,
            default=1.0,
            allowed_values=[1, 2.5],
            minimum="1",
            descriptions={"ja": "数"},
        ),
        ParameterDocument(param_name="b", binding="CLAIM", bound_value="tenant", pattern="x+"),
    ),
)


def stored(snapshot: ToolDocument) -> ToolDefinition:
    tool = ToolDefinition(name="t", definition="")
    write_columns(tool, snapshot)
    tool.save()
    write_parameters(tool, snapshot)
    return ToolDefinition.objects.whole().get()


@pytest.mark.django_db
def test_rows_say_what_the_snapshot_says() -> None:
    snapshot = ToolDocument.of_row(stored(WHOLE))

    assert snapshot == WHOLE
    assert snapshot.content_hash == WHOLE.content_hash


def test_tool_without_later_fields_has_the_hash_from_before_there_were_any() -> None:
    rows = tuple(row.replace(descriptions={}) for row in WHOLE.parameters)
    tool = WHOLE.replace(
        breaker_errors=None,
        breaker_minutes=None,
        plan_cost_limit=None,
        chart=None,
        parameters=rows,
        descriptions={},
        record_arguments="full",
    )
    document: dict[str, Any] = tool.to_document()
    later_ones = ("breaker_errors", "breaker_minutes", "plan_cost_limit", "chart", "descriptions")
    for later in (*later_ones, "record_arguments"):
        del document[later]
    for row in document["parameters"]:
        del row["descriptions"]
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    assert tool.content_hash == hashlib.sha256(text.encode()).hexdigest() != WHOLE.content_hash


def test_document_that_says_nothing_of_recorded_arguments_leaves_them_as_they_are() -> None:
    tool = ToolDefinition(record_arguments="none")
    document = WHOLE.to_document()
    del document["record_arguments"], document["data_source"]

    write_columns(tool, ToolDocument.model_validate(document))

    assert tool.record_arguments == "none"


def test_document_gives_the_snapshot_back() -> None:
    assert ToolDocument.model_validate(WHOLE.to_document()) == WHOLE


@pytest.mark.django_db
def test_rows_are_numbered_from_1() -> None:
    rows = stored(WHOLE).parameters.values_list("param_name", "position")

    assert list(rows) == [("a", 1), ("b", 2)]


@pytest.mark.django_db
def test_odd_json_of_another_program_is_kept() -> None:
    tool = make_tool(parameters=["a"])
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE h_custom_tool SET annotations = '[]', tags = 'null', is_active = 'x'"
        )
        cursor.execute("UPDATE h_custom_tool_param SET allowed_values = 'null', \"default\" = '7'")

    snapshot = ToolDocument.of_row(ToolDefinition.objects.get(pk=tool.pk))

    assert (snapshot.annotations, snapshot.tags) == ([], [])
    assert (snapshot.parameters[0].allowed_values, snapshot.parameters[0].default) == ([], 7)
    assert ToolDocument.model_validate(snapshot.to_document()) == snapshot


def hash_of(tags: Any) -> str:
    return ToolDocument.model_construct(tags=tags).content_hash


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="order of keys"),
        pytest.param([1, 2], (1.0, 2.0), id="whole numbers"),
        pytest.param({"n": 1e22}, {"n": 10**22}, id="large numbers"),
    ],
)
def test_same_json_has_the_same_hash(one: Any, other: Any) -> None:
    assert hash_of(one) == hash_of(other)


@pytest.mark.parametrize(
    "other",
    [{"a": "1"}, {"a": True}, {"a": 1.5}, {"a": None}, {}, {"a": [1]}],
    ids=str,
)
def test_other_json_has_another_hash(other: Any) -> None:
    assert hash_of(other) != hash_of({"a": 1})


def test_number_as_a_bound_is_text() -> None:
    document = {"parameters": [{"param_name": "a", "minimum": 5, "maximum": 7.5}]}

    [parameter] = ToolDocument.model_validate(document).parameters

    assert (parameter.minimum, parameter.maximum) == ("5", "7.5")
