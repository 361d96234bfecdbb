"""Operations of OpenAPI documents: names, parameters, bodies, and what is wrong with the rest."""

import re
from typing import Any

import pytest

from core.ingest import schemas
from core.ingest.openapi import OpenAPIReading, read_openapi
from core.ingest.operations import Place, description_of, input_schema_of
from tests.core.ingest.documents import (
    Json,
    document_of,
    in_path,
    in_query,
    operation_of,
    with_body,
)

ORDER = {
    "type": "object",
    "properties": {"customer": {"type": "string"}, "lines": {"type": "array", "items": {}}},
    "required": ["customer"],
}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        pytest.param("repos/list-for-user", "repos_list-for-user", id="slash"),
        pytest.param("사용자 조회", "get_orders", id="no Latin letter"),
        pytest.param("Bücher.holen", "Bucher_holen", id="accents"),
        pytest.param(None, "get_orders", id="none"),
        pytest.param(42, "get_orders", id="no text"),
    ],
)
def test_name_is_the_operation_id_as_every_agent_accepts_it(given: Any, name: str) -> None:
    assert operation_of({"operationId": given}, method="get").name == name


def test_names_are_unique_valid_and_short() -> None:
    paths: Json = {f"/{'very/long/' * 10}{n}": {"get": {}} for n in range(3)}
    paths |= {f"/{n}": {"get": {"operationId": "same"}} for n in range(3)}
    paths |= {f"/long{n}": {"get": {"operationId": "word" * 30 + str(n)}} for n in range(2)}

    names = [each.name for each in read_openapi(document_of(paths)).operations]

    assert len(set(names)) == 8
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert names[3:6] == ["same", "same_2", "same_3"]


def test_parameters_of_the_path_item_are_taken_and_overridden() -> None:
    item = {
        "parameters": [in_path("id"), in_query("page", description="of the item")],
        "get": {"parameters": [in_query("page", description="of the operation")]},
    }

    (operation,) = read_openapi(document_of({"/orders/{id}": item})).operations

    assert [(each.name, each.place) for each in operation.parameters] == [
        ("id", Place.PATH),
        ("page", Place.QUERY),
    ]
    assert operation.parameters[1].description == "of the operation"


def test_a_parameter_of_the_path_that_nothing_declares_is_a_required_text() -> None:
    (parameter,) = operation_of({}, path="/orders/{order_id}").parameters

    assert (parameter.name, parameter.required, parameter.schema) == (
        "order_id",
        True,
        {"type": "string"},
    )


def test_fields_of_a_body_stand_among_the_arguments() -> None:
    operation = operation_of(
        {"parameters": [in_query("notify")], **with_body(ORDER, required=True)}
    )

    schema = input_schema_of(operation)

    assert list(schema["properties"]) == ["customer", "notify", "lines"]
    assert schema["required"] == ["customer"]
    assert schema["additionalProperties"] is False


def test_a_field_with_the_name_of_a_parameter_makes_the_body_one_argument() -> None:
    operation = operation_of({"parameters": [in_query("customer")], **with_body(ORDER)})

    assert [each.argument for each in operation.parameters] == ["customer", "body"]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "array", "items": {"type": "string"}}, id="list"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, id="map"),
        pytest.param({**ORDER, "additionalProperties": True}, id="open object"),
        pytest.param({}, id="anything"),
    ],
)
def test_a_body_that_is_no_closed_object_is_one_argument(schema: Any) -> None:
    operation = operation_of(with_body(schema, required=True))

    assert [(each.argument, each.required) for each in operation.parameters] == [("body", True)]


def test_fields_of_a_body_that_may_be_left_out_are_not_required() -> None:
    operation = operation_of(with_body(ORDER))

    assert "required" not in input_schema_of(operation)
    assert operation.body
    assert operation.body.needed == ("customer",)


def test_equal_names_in_several_places_are_told_apart() -> None:
    header = {"name": "id", "in": "header", "schema": {"type": "string"}}

    operation = operation_of({"parameters": [in_query("id"), header]}, path="/orders/{id}")

    assert [each.argument for each in operation.parameters] == ["id", "id_query", "id_header"]


def test_json_is_the_preferred_body() -> None:
    contents: Json = {
        "application/xml": {},
        "multipart/form-data": {},
        "application/vnd.x+json": {},
    }

    operation = operation_of({"requestBody": {"content": contents}})

    assert operation.body
    assert operation.body.content_type == "application/vnd.x+json"


def test_headers_of_the_connection_are_no_arguments() -> None:
    names = ("Authorization", "Host", "Content-Length", "Cookie", "X-Request-Id")
    headers = [{"name": name, "in": "header", "schema": {}} for name in names]

    assert [each.name for each in operation_of({"parameters": headers}).parameters] == [
        "X-Request-Id"
    ]


def test_servers_of_the_operation_win_and_have_their_defaults() -> None:
    servers = [{"url": "https://{host}/v2/", "variables": {"host": {"default": "eu.example"}}}]

    assert operation_of({"servers": servers}).server_urls == ("https://eu.example/v2",)
    assert operation_of({}).server_urls == ("https://shop.example/v1",)


def test_number_as_a_variables_default_is_a_part_of_the_address() -> None:
    servers = [{"url": "https://eu.example:{port}/v2", "variables": {"port": {"default": 8443}}}]

    assert operation_of({"servers": servers}).server_urls == ("https://eu.example:8443/v2",)


FILES = "https://files.example"


def two_servers(**parts: Any) -> OpenAPIReading:
    """Orders at the document's server, files at another one."""
    paths = {"/orders": {"get": {}}, "/files": {"servers": [{"url": FILES}], "post": {}}}
    return read_openapi(document_of(paths, **parts))


def test_operation_of_another_server_is_left_out_with_its_address() -> None:
    reading = two_servers().at("https://shop.example/v1")

    assert [operation.path for operation in reading.operations] == ["/orders"]
    assert reading.faults[0].place == "POST /files"
    assert f"is at {FILES}, not at https://shop.example/v1" in str(reading.faults[0].text)


@pytest.mark.parametrize(
    ("address", "servers", "paths"),
    [
        pytest.param("https://test.example", ["https://shop.example"], ["/orders"], id="unknown"),
        pytest.param(f"{FILES}/", ["https://shop.example"], ["/files"], id="of the operation"),
        pytest.param(FILES, [], ["/orders", "/files"], id="the only one"),
        pytest.param(FILES, ["/", FILES], ["/orders", "/files"], id="of both"),
        pytest.param("https://a.example/v1", ["/v1"], ["/orders"], id="relative"),
    ],
)
def test_operations_are_those_of_an_address(
    address: str, servers: list[str], paths: list[str]
) -> None:
    reading = two_servers(servers=[{"url": url} for url in servers]).at(address)

    assert [operation.path for operation in reading.operations] == paths


def test_first_server_stands_for_a_document_whose_operations_all_have_their_own() -> None:
    shop = {"servers": [{"url": "https://shop.example"}], "get": {}}
    files = {"servers": [{"url": FILES}], "post": {}}
    reading = read_openapi(document_of({"/a": shop, "/b": shop, "/files": files}, servers=[]))

    assert reading.find_server_url() == "https://shop.example"
    for address in ("https://shop.example", "https://test.example"):
        assert [operation.path for operation in reading.at(address).operations] == ["/a", "/b"]


def test_security_is_that_of_the_operation_or_else_of_the_document() -> None:
    schemes = {"key": {"type": "apiKey", "name": "X-Key", "in": "header"}}
    document = document_of(
        {"/a": {"get": {}}, "/b": {"get": {"security": []}}},
        security=[{"key": []}, {}],
        components={"securitySchemes": schemes},
    )

    reading = read_openapi(document)

    assert [each.security for each in reading.operations] == [(("key",), ()), ()]
    assert reading.security_schemes["key"].place == "header"


def test_description_says_nothing_twice() -> None:
    both = operation_of({"summary": "List orders", "description": "List orders of a day."})
    old = operation_of({"summary": "List orders", "deprecated": True})

    assert description_of(both) == "List orders of a day."
    assert description_of(old) == "Deprecated. List orders"


def test_hidden_characters_of_a_document_are_taken_out() -> None:
    assert operation_of({"summary": "List\u202e or\u200bders\x00"}).summary == "List orders"


FAULTS = [
    pytest.param(
        {"parameters": [{"$ref": "#/components/parameters/none"}]}, "none' leads", id="ref"
    ),
    pytest.param(
        with_body({"$ref": "other.yaml#/Order"}), "other.yaml#/Order' leads out", id="file"
    ),
    pytest.param({"parameters": [{"name": 1, "in": "query"}]}, "name is int", id="name"),
    pytest.param({"parameters": [{"name": "a", "in": "body"}]}, "path, query, header", id="place"),
    pytest.param({"parameters": [in_query("a", style="matrix")]}, "has the style", id="style"),
    pytest.param(
        {"parameters": [{"name": "a\r\nb", "in": "header"}]}, "name is 'a b'|no header", id="header"
    ),
    pytest.param(with_body({}, content_type="json\r\nX: y"), "the content type", id="content type"),
    pytest.param("text", "has to be an object", id="no object"),
]


@pytest.mark.parametrize(("operation", "text"), FAULTS)
def test_an_operation_with_a_fault_is_left_out_and_the_others_are_kept(
    operation: Any, text: str
) -> None:
    reading = read_openapi(document_of({"/bad": {"get": operation}, "/good": {"get": {}}}))

    assert [each.path for each in reading.operations] == ["/good"]
    assert [each.place for each in reading.faults] == ["GET /bad"]
    assert re.search(text, str(reading.faults[0].text))


@pytest.mark.parametrize(
    "path", ["orders", "/a/../b", "/a/%2E%2e/b", "/a b", "/a?b=1", "/{a", "/a\\b", "/\u202ea"]
)
def test_a_path_that_leads_elsewhere_is_a_fault(path: str) -> None:
    reading = read_openapi(document_of({path: {"get": {}}}))

    assert reading.operations == ()
    assert len(reading.faults) == 1


def test_a_path_item_may_be_a_reference() -> None:
    document = document_of(
        {"/a": {"$ref": "#/components/pathItems/a"}, "/b": {"$ref": "#/nowhere"}},
        components={"pathItems": {"a": {"get": {}}}},
    )

    reading = read_openapi(document)

    assert [each.path for each in reading.operations] == ["/a"]
    assert [each.place for each in reading.faults] == ["/b"]


def test_two_thousand_operations_with_a_shared_schema_are_read() -> None:
    shared = {"schemas": {"Order": ORDER}}
    body = with_body({"$ref": "#/components/schemas/Order"})
    paths = {f"/orders/{n}": {"post": {"operationId": f"order_{n}", **body}} for n in range(2_000)}

    operations = read_openapi(document_of(paths, components=shared)).operations

    assert len(operations) == 2_000
    assert operations[-1].parameters[0].name == "customer"


def test_a_document_of_endless_schemas_is_read_in_bounded_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schemas, "MAX_DOCUMENT_SCHEMAS", 2_000)
    tree = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(199)}}
    paths = {f"/{n}": {"post": with_body(tree)} for n in range(20)}

    reading = read_openapi(document_of(paths))

    assert [each.place for each in reading.faults] == ["schemas"]
    assert len(reading.operations[0].parameters) == 199
    assert [each.argument for each in reading.operations[-1].parameters] == ["body"]


@pytest.mark.parametrize(
    ("schema", "content_type"),
    [
        pytest.param(ORDER, "application/json", id="object"),
        pytest.param({"type": "string"}, "text/plain", id="text"),
        pytest.param({}, "application/json", id="anything"),
    ],
)
def test_body_of_any_type_is_sent_as_json_or_as_the_text_that_it_is(
    schema: Json, content_type: str
) -> None:
    body = operation_of(with_body(schema, content_type="*/*")).body

    assert body == operation_of(with_body(schema, content_type=content_type)).body
    assert body is not None
    assert body.content_type == content_type
