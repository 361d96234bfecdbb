"""Documents as JSON or YAML: the same values, and a clear end for what is too much."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import DefinitionError, ImportFileError
from core.ingest.documents import read_document
from core.ingest.openapi import read_openapi
from core.ingest.operations import input_schema_of
from core.ingest.remote_tools import read_remote_tools
from core.library import parse_tool

YAML = """
openapi: 3.1.0
info: {title: "Shop", version: '1.0'}
paths:
  /orders:
    get:
      deprecated: no
      responses:
        200: {description: ok}
x-values: [1, -2.5, 1e3, true, null, ~, 2026-01-31, 0x10, "7", +, 0123, 10]
"""


def test_yaml_and_json_give_the_same_values() -> None:
    document = read_document(YAML)

    assert document["openapi"] == "3.1.0"
    assert document["paths"]["/orders"]["get"] == {
        "deprecated": "no",
        "responses": {"200": {"description": "ok"}},
    }
    assert document["x-values"] == [
        1, -2.5, 1000.0, True, None, None, "2026-01-31", "0x10", "7", "+", "0123", 10,
    ]  # fmt: skip
    assert read_document(json.dumps(document)) == document


def test_a_version_without_quotes_is_read() -> None:
    assert read_openapi(read_document("openapi: 3.1\npaths: {}")).operations == ()


@pytest.mark.parametrize("text", ["{a: 1}", '\ufeff{"a": 1}', "\n\n a: 1", "--- \na: 1\n...\n"])
def test_an_object_is_found_in_every_form(text: str) -> None:
    assert read_document(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("", "has to be an object", id="empty"),
        pytest.param("[1]", "has to be an object", id="list"),
        pytest.param("just words", "has to be an object", id="words"),
        pytest.param('{"a": 1,}', "not JSON: .*line 1", id="broken JSON"),
        pytest.param('{"a": NaN}', "not JSON", id="not a number"),
        pytest.param("a: [1\nb: 2", "neither JSON nor YAML: .*line", id="broken YAML"),
        pytest.param("a: \x00", "neither JSON nor YAML", id="NUL"),
        pytest.param("a: &x 1\nb: *x", "aliases of YAML are not read.*line 2", id="alias"),
        pytest.param("a: &x [*x]", "aliases of YAML", id="alias of itself"),
        pytest.param("a: !!python/object/apply:os.system [x]", "tags of YAML", id="tag"),
        pytest.param("a: 1\na: 2", "'a' is there twice, line 2", id="twice"),
        pytest.param("? [a]\n: 1", "name before the colon", id="name is a list"),
        pytest.param("[" * 200 + "]" * 200, "nest 100 deep", id="deep list"),
        pytest.param('{"a":' * 200 + "1" + "}" * 200, "nest 100 deep", id="deep JSON"),
        pytest.param('{"a":' * 5_000 + "1" + "}" * 5_000, "not JSON", id="very deep JSON"),
        pytest.param("a: " + "[" * 200 + "]" * 200, "nest 100 deep", id="deep YAML"),
        pytest.param("a: " + "{b: " * 900, "nest 100 deep", id="deep YAML objects"),
        pytest.param("a: " + "x" * 15_000_000, "YAML is read up to 15,000,000", id="large YAML"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ImportFileError, match=fault):
        read_document(text)


WORDS = st.sampled_from(
    [
        "openapi",
        "paths",
        "get",
        "post",
        "parameters",
        "name",
        "in",
        "schema",
        "type",
        "properties",
        "items",
        "$ref",
        "allOf",
        "oneOf",
        "anyOf",
        "required",
        "enum",
        "const",
        "default",
        "requestBody",
        "content",
        "application/json",
        "style",
        "explode",
        "servers",
        "url",
        "security",
        "tags",
        "components",
        "inputSchema",
        "annotations",
        "readOnlyHint",
        "description",
        "function",
        "object",
        "string",
        "array",
        "null",
        "query",
        "path",
        "#/paths",
        "#/components/schemas/a",
        "/",
        "/a/{b}",
        "3.1.0",
    ]
)
JSON = st.recursive(
    st.one_of(WORDS, st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=5)),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(item=JSON, components=JSON)
def test_any_operation_is_read_or_is_a_fault(item: Any, components: Any) -> None:
    document = {"openapi": "3.1.0", "paths": {"/a/{b}": {"post": item}}, "components": components}

    reading = read_openapi(document)

    assert len(reading.operations) + len(reading.faults) == 1
    assert all(json.dumps(input_schema_of(each)) for each in reading.operations)


@settings(max_examples=100, deadline=None)
@given(document=JSON)
def test_any_schema_is_read_or_is_a_fault(document: Any) -> None:
    listed = [{"name": "a", "inputSchema": document}]

    reading = read_remote_tools(listed, "some")

    assert len(reading.tools) + len(reading.faults) == 1


@settings(max_examples=100, deadline=None)
@given(document=JSON)
def test_any_tool_is_read_or_refused(document: Any) -> None:
    with suppress(DefinitionError):
        assert parse_tool(document).name
