"""Operations as text, and the check of their arguments."""

import json
from typing import Any

import pytest

from core.errors import ArgumentsError, DataSourceError, DefinitionError
from core.execution import CompiledTool
from core.http_answers import HttpAnswer, service_answer
from core.http_logic import operation_text, read_operation
from core.ingest.openapi import read_openapi
from core.json_schema import SchemaCheck
from core.toolspec import HttpLogic, ParameterSpec, ParameterType, ToolSpec
from tests.http_service import DOCUMENT

OPERATIONS = {operation.name: operation for operation in read_openapi(DOCUMENT).operations}


def tool(name: str, *parameters: ParameterSpec) -> CompiledTool:
    logic = HttpLogic(operation_text(OPERATIONS[name]), "pets")
    return CompiledTool(ToolSpec(id=1, name=name, logic=logic, parameters=parameters))


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_operation_comes_back_from_its_text(name: str) -> None:
    text = operation_text(OPERATIONS[name])

    assert operation_text(read_operation(text)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        pytest.param({"path": "/../admin"}, "dot segments", id="dots"),
        pytest.param({"path": "//x\r\ny"}, "has to begin with /", id="line end"),
        pytest.param({"method": "connect"}, "method must be one of", id="method"),
        pytest.param({"path": "/pets/{id}"}, "needs its required parameter", id="path parameter"),
        pytest.param(
            {"parameters": [{"name": "Host", "argument": "host", "in": "header"}]},
            "header 'Host'",
            id="reserved header",
        ),
        pytest.param({"parameters": [{"name": "x"}]}, "is no operation", id="no argument"),
    ],
)
def test_definition_that_another_program_wrote_is_judged(
    changes: dict[str, Any], text: str
) -> None:
    given = {"method": "get", "path": "/pets", **changes}

    with pytest.raises(DefinitionError, match=text):
        read_operation(json.dumps(given))


def test_row_that_the_operation_does_not_take_is_refused() -> None:
    with pytest.raises(DefinitionError, match="does not take colour"):
        tool("list_pets", ParameterSpec(name="colour", type=ParameterType.STRING))


def test_row_narrows_what_the_operation_takes() -> None:
    row = ParameterSpec(name="name", type=ParameterType.STRING, allowed_values=("Tom", "T"))
    found = tool("add_pet", row)

    assert found.input_schema["properties"]["name"]["enum"] == ["Tom", "T"]
    with pytest.raises(ArgumentsError, match="name"):
        found.validate({"name": "Ann"})
    with pytest.raises(ArgumentsError, match="name: string should have at least 2"):
        found.validate({"name": "T"})


def test_argument_that_was_left_out_is_not_sent() -> None:
    assert tool("list_pets").validate({"limit": 3}) == {"limit": 3}


def test_unknown_argument_is_refused() -> None:
    with pytest.raises(ArgumentsError, match="colour"):
        tool("list_pets").validate({"colour": "red"})


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        pytest.param({"type": "integer"}, 5, 5.5, id="integer"),
        pytest.param({"type": "number", "exclusiveMinimum": 0}, 1, 0, id="number"),
        pytest.param({"type": "boolean"}, True, 1, id="boolean"),
        pytest.param({"type": ["string", "null"]}, None, 1, id="or null"),
        pytest.param({"enum": ["a", 1, None]}, None, "b", id="enum"),
        pytest.param({"type": "array", "items": {"type": "string"}}, ["a"], [1], id="list"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "array"}]}, [], {}, id="any of"),
        pytest.param({"type": "string", "pattern": "^a(?=b)"}, "c", 1, id="pattern not linear"),
        pytest.param(
            {"type": "object", "properties": {}, "additionalProperties": False},
            {},
            {"a": 1},
            id="no more",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": 1},
            {"a": "b"},
            id="map",
        ),
    ],
)
def test_value_is_checked_by_its_schema(schema: dict[str, Any], good: Any, bad: Any) -> None:
    check = SchemaCheck(schema)

    assert check.problems("x", good) == []
    assert check.problems("x", bad) != []


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "array", "minItems": "x"}, id="count"),
        pytest.param({"type": "object", "properties": 5}, id="properties"),
        pytest.param({"anyOf": [5]}, id="alternative"),
    ],
)
def test_what_is_no_schema_is_told(schema: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match="JSON schema cannot be read"):
        SchemaCheck(schema)


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"type": "number"}, {"enum": ["a"]}])
def test_true_is_no_number(schema: dict[str, Any]) -> None:
    assert SchemaCheck(schema).problems("x", True) != []


@pytest.mark.parametrize(
    ("answer", "structured"),
    [
        pytest.param(HttpAnswer(200, "application/json", b'{"a":1}'), {"a": 1}, id="object"),
        pytest.param(HttpAnswer(200, "application/hal+json", b"[1]"), {"result": [1]}, id="list"),
        pytest.param(HttpAnswer(200, "text/plain", "ä".encode()), {"result": "ä"}, id="text"),
        pytest.param(HttpAnswer(204, "", b""), {"result": None}, id="nothing"),
    ],
)
def test_answer_becomes_structured_content(answer: HttpAnswer, structured: dict[str, Any]) -> None:
    assert service_answer(answer, 100).structured == structured


def test_long_text_is_cut_and_says_so() -> None:
    answer = service_answer(HttpAnswer(200, "text/plain", b"abc", is_cut=True), 3)

    assert answer.truncated
    assert answer.texts == ("abc", "(truncated: the text is longer than the limit of 3 bytes)")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        pytest.param(
            HttpAnswer(500, "text/plain", b"oops"), "500 Internal Server Error: oops", id="500"
        ),
        pytest.param(HttpAnswer(301, "", b""), "redirects are not followed", id="redirect"),
        pytest.param(
            HttpAnswer(200, "application/json", b"{}", is_cut=True), "longer than", id="cut"
        ),
        pytest.param(HttpAnswer(200, "application/json", b"NaN"), "but it is none", id="NaN"),
        pytest.param(
            HttpAnswer(200, "application/json", b"[" * 99_999), "but it is none", id="deep"
        ),
    ],
)
def test_answer_that_is_an_error(answer: HttpAnswer, text: str) -> None:
    with pytest.raises(DataSourceError, match=text):
        service_answer(answer, 10)
