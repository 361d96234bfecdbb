"""HTTP methods as annotations, by RFC 9110, and what they are for the tools of a document."""

import pytest

from core.errors import ImportFileError
from core.ingest.operations import annotations_of_method
from core.library import tools_of_openapi
from core.retrieval.model import MCPAnnotations
from tests.core.ingest.documents import document_of

TABLE = [
    ("get", MCPAnnotations(read_only=True, destructive=False, idempotent=True)),
    ("post", MCPAnnotations(read_only=False, destructive=False, idempotent=False)),
    ("put", MCPAnnotations(read_only=False, destructive=False, idempotent=True)),
    ("patch", MCPAnnotations(read_only=False, destructive=False, idempotent=False)),
    ("delete", MCPAnnotations(read_only=False, destructive=True, idempotent=True)),
]
USERS = document_of({"/users/{id}": {method: {"tags": ["users"]} for method, _hints in TABLE}})


@pytest.mark.parametrize(("method", "hints"), TABLE)
def test_method_says_what_an_operation_does(method: str, hints: MCPAnnotations) -> None:
    assert annotations_of_method(method) == hints


@pytest.mark.parametrize(("method", "hints"), TABLE)
def test_every_tool_of_a_document_has_the_annotations_of_its_method(
    method: str, hints: MCPAnnotations
) -> None:
    tools = {tool.name: tool for tool in tools_of_openapi(USERS)}

    assert tools[f"{method}_users_id"].annotations == hints


def test_capitals_of_a_method_are_the_same_method() -> None:
    assert annotations_of_method("DELETE") == annotations_of_method("delete")


def test_another_method_says_nothing() -> None:
    assert annotations_of_method("options") is None


def test_nothing_is_said_of_an_open_world() -> None:
    assert [
        tool.annotations.open_world for tool in tools_of_openapi(USERS) if tool.annotations
    ] == [None] * 5


def test_a_tool_knows_its_route_and_tags() -> None:
    tool = tools_of_openapi(USERS)[0]

    assert (tool.metadata["method"], tool.metadata["path"]) == ("get", "/users/{id}")
    assert tool.tags == ("users",)


def test_other_methods_and_extensions_are_no_tools() -> None:
    item = {"options": {}, "trace": {}, "x-internal": {}, "summary": "Users", "get": {}}

    assert [tool.name for tool in tools_of_openapi(document_of({"/users": item}))] == ["get_users"]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        pytest.param({"paths": {}}, "has to begin with a version", id="no version"),
        pytest.param({"openapi": "4.0.0"}, "neither OpenAPI 3 nor", id="unknown version"),
        pytest.param({"openapi": "3.0.0", "paths": []}, "paths of the document", id="paths"),
    ],
)
def test_another_document_is_refused(document: dict[str, object], text: str) -> None:
    with pytest.raises(ImportFileError, match=text):
        tools_of_openapi(document)
