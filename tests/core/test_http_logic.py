"""Operations as text, and the check of their arguments."""

import json
from typing import Any

import pytest

from core.errors import ArgumentsError, DataSourceError, DefinitionError, StatementError
from core.execution import CompiledTool
from core.http_answers import HttpAnswer, service_answer
from core.http_checks import check_declared, check_repeatable
from core.http_logic import operation_text, read_operation
from core.ingest.openapi import read_openapi
from core.ingest.requests import build_request
from core.json_schema import SchemaCheck
from core.toolspec import HttpLogic, ParameterSpec, ParameterType, Presence, ToolSpec
from tests.http_service import DOCUMENT

OPERATIONS = {operation.name: operation for operation in read_openapi(DOCUMENT).operations}

DEEP = b"[" * 500 + b"]" * 500


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
        pytest.param({"path": "/pets/{a b}"}, "needs its required parameter", id="path parameter"),
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


def test_refusal_names_arguments_with_and_without_a_row() -> None:
    row = ParameterSpec(name="kind", type=ParameterType.STRING)
    found = tool("list_pets", row)

    with pytest.raises(ArgumentsError, match="colour: unknown; this tool takes kind, limit, X-T"):
        found.validate({"colour": "red"})
    with pytest.raises(ArgumentsError, match=r"limits: unknown; did you mean limit\?"):
        found.validate({"limits": 3})


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


@pytest.mark.parametrize("schema", [{}, {"type": "array"}])
def test_more_levels_than_others_read_fit_no_schema(schema: dict[str, Any]) -> None:
    check = SchemaCheck(schema)

    assert check.problems("x", json.loads("[" * 100 + "]" * 100)) == []
    assert check.problems("x", json.loads(DEEP)) == ["x: must have at most 100 levels"]


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"type": "number"}, {"enum": ["a"]}])
def test_true_is_no_number(schema: dict[str, Any]) -> None:
    assert SchemaCheck(schema).problems("x", True) != []


@pytest.mark.parametrize(
    ("answer", "structured"),
    [
        pytest.param(HttpAnswer(200, "application/json", b'{"a":1}'), {"a": 1}, id="object"),
        pytest.param(HttpAnswer(200, "application/hal+json", b"[1]"), {"result": [1]}, id="list"),
        pytest.param(
            HttpAnswer(200, "application/json; charset=EUC-KR", '{"a":"서울"}'.encode("euc-kr")),
            {"a": "서울"},
            id="Korean",
        ),
        pytest.param(
            HttpAnswer(200, "application/json; charset=euc-kr", '{"a":"서울"}'.encode()),
            {"a": "서울"},
            id="UTF-8 under another name",
        ),
        pytest.param(
            HttpAnswer(200, "application/json", b'{"a":%b}' % DEEP),
            {"result": f'{{"a":{DEEP.decode()}}}'},
            id="too many levels",
        ),
        pytest.param(
            HttpAnswer(200, "application/json", '{"a":"서울특별시"}'.encode("cp949")),
            {"a": "서울특별시"},
            id="Korean without its charset",
        ),
        pytest.param(HttpAnswer(200, "text/json", b'{"a":1}'), {"a": 1}, id="text/json"),
        pytest.param(HttpAnswer(200, "text/html", b'\n{"a":1}'), {"a": 1}, id="JSON as a page"),
        pytest.param(HttpAnswer(200, "text/plain", b"[1]x"), {"result": "[1]x"}, id="no JSON"),
        pytest.param(HttpAnswer(200, "text/plain", "ä".encode()), {"result": "ä"}, id="text"),
        pytest.param(
            HttpAnswer(200, "text/xml", '<?xml encoding="EUC-KR"?>똠'.encode("cp949")),
            {"result": '<?xml encoding="EUC-KR"?>똠'},
            id="XML that says its encoding",
        ),
        pytest.param(
            HttpAnswer(200, "text/html", '<meta charset="shift_jis">①'.encode("cp932")),
            {"result": '<meta charset="shift_jis">①'},
            id="page that says its encoding",
        ),
        pytest.param(
            HttpAnswer(200, "text/csv", "지역,값\n서울,1".encode("cp949")),
            {"result": "지역,값\n서울,1"},
            id="Korean text without its charset",
        ),
        pytest.param(
            HttpAnswer(200, "text/xml", b'<?xml encoding="none-such"?>'),
            {"result": '<?xml encoding="none-such"?>'},
            id="encoding that there is not",
        ),
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
        pytest.param(
            HttpAnswer(429, "text/plain", b"slow down", retry_after="17"),
            "429 Too Many Requests, to be asked again after 17 s: slow down",
            id="429",
        ),
        pytest.param(
            HttpAnswer(503, "", b"", retry_after="Wed, 21 Oct 2099 07:28:00 GMT"),
            "503 Service Unavailable, to be asked again after Wed, 21 Oct 2099 07:28:00 GMT",
            id="503 until",
        ),
        pytest.param(HttpAnswer(429, "", b"", retry_after="x\n1"), "Requests$", id="no time"),
        pytest.param(HttpAnswer(301, "", b""), "redirects are not followed", id="redirect"),
        pytest.param(
            HttpAnswer(200, "application/json", b"{}", is_cut=True), "longer than", id="cut"
        ),
        pytest.param(HttpAnswer(200, "application/json", b"NaN"), "but it is none", id="NaN"),
        pytest.param(
            HttpAnswer(200, "application/json; charset=euc-kr", b'"\xff"'),
            "but it is none",
            id="not in its charset",
        ),
        pytest.param(
            HttpAnswer(200, "application/json; charset=x", b'"\xff"'),
            "but it is none",
            id="charset",
        ),
        pytest.param(
            HttpAnswer(200, "application/json", b"[" * 99_999), "but it is none", id="deep"
        ),
    ],
)
def test_answer_that_is_an_error(answer: HttpAnswer, text: str) -> None:
    with pytest.raises(DataSourceError, match=text):
        service_answer(answer, 10)


def written(**changes: Any) -> str:
    """A definition that a person wrote, of a forecast."""
    given = {
        "method": "get",
        "path": "/forecast/{city}",
        "values": [
            {"name": "days", "in": "query", "value": "{days}"},
            {"name": "units", "in": "query", "value": "metric"},
            {"name": "q", "in": "query", "value": "sky:{sky} in {city}"},
        ],
    }
    return json.dumps({**given, **changes})


def parameter(name: str, kind: ParameterType = ParameterType.STRING, **more: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=kind, **more)


OPTIONAL: dict[str, Any] = {"presence": Presence.OPTIONAL_NULL}


def test_values_are_sent_when_all_their_arguments_are_given() -> None:
    operation = read_operation(written())

    some = build_request(operation, {"city": "서울", "days": 3}, server_url="https://a.example/v1")
    every = build_request(
        operation, {"city": "Busan", "sky": "clear", "days": [1, 2]}, server_url="https://a.example"
    )

    assert (some.url, some.query) == (
        "https://a.example/v1/forecast/%EC%84%9C%EC%9A%B8",
        "days=3&units=metric",
    )
    assert every.query == "days=1&days=2&units=metric&q=sky%3Aclear%20in%20Busan"


def test_names_of_a_written_request_need_parameters() -> None:
    logic = HttpLogic(written(), "weather")
    rows = (parameter("city"), parameter("days", ParameterType.INTEGER, **OPTIONAL))

    with pytest.raises(DefinitionError, match="uses sky, which is not declared"):
        CompiledTool(ToolSpec(id=1, name="forecast", logic=logic, parameters=rows))
    with pytest.raises(DefinitionError, match="city is a part of the path: make it required"):
        check_declared(read_operation(written(values=[])), (parameter("city", **OPTIONAL),))


@pytest.mark.parametrize(
    ("template", "given", "body"),
    [
        pytest.param('{"a": {n}, "b": "{n}"}', {"n": 5}, {"a": 5, "b": 5}, id="typed"),
        pytest.param('{"a": "no. {n}"}', {"n": 5}, {"a": "no. 5"}, id="within a text"),
        pytest.param('{"a": {n}, "b": [1, {n}]}', {}, {"b": [1]}, id="absent"),
        pytest.param('{"a": {n}}', {"n": None}, {"a": None}, id="null"),
        pytest.param('{"a": "{not one}"}', {}, {"a": "{not one}"}, id="other braces"),
        pytest.param("{n}", {"n": {"x": [True]}}, {"x": [True]}, id="whole"),
    ],
)
def test_body_is_written_out_with_its_arguments(
    template: str, given: dict[str, Any], body: Any
) -> None:
    text = {"content_type": "application/json", "kind": "json", "template": template}
    operation = read_operation(written(method="post", path="/a", values=[], body=text))

    request = build_request(operation, given, server_url="https://a.example")

    assert json.loads(request.body) == body
    assert operation_text(read_operation(operation_text(operation))) == operation_text(operation)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        pytest.param(
            {
                "body": {
                    "content_type": "application/json",
                    "kind": "json",
                    "template": '{"a": {n},}',
                }
            },
            "the body is not JSON: line 1",
            id="body",
        ),
        pytest.param({"keep": {"path": "a..b"}}, "is no path", id="path to keep"),
        pytest.param({"keep": {"expression": "open(1)"}}, "open", id="expression"),
        pytest.param({"paging": {"kind": "page"}}, "name the parameter", id="paging"),
        pytest.param({"retries": 9}, "retries must be a whole number from 0 to 5", id="retries"),
        pytest.param(
            {"values": [{"name": "Authorization", "in": "header", "value": "x"}]},
            "no parameter may be the header",
            id="header",
        ),
    ],
)
def test_written_part_that_could_not_work_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(DefinitionError, match=text):
        read_operation(written(**changes))


def test_fault_of_a_body_has_its_place() -> None:
    template = '{"a": {n}, "b": }'
    body = {"content_type": "application/json", "kind": "json", "template": template}

    with pytest.raises(StatementError) as caught:
        read_operation(written(body=body))

    assert template[caught.value.position :] == "}"


def test_only_what_may_be_sent_twice_is_sent_again() -> None:
    post = read_operation(written(method="post", retries=2))

    with pytest.raises(DefinitionError, match="POST may change something twice"):
        check_repeatable(post, {})
    check_repeatable(post, {"idempotentHint": True})
    check_repeatable(read_operation(written(retries=2)), {})
