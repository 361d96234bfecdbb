"""Swagger 2.0 documents are read as the OpenAPI 3 documents that say the same."""

from typing import Any

import pytest

from core.errors import ImportFileError
from core.ingest.documents import read_document
from core.ingest.openapi import OpenAPIReading, read_openapi
from tests.core.ingest.documents import Json, document_of, in_path, in_query, with_body

ORDER: Json = {
    "type": "object",
    "required": ["customer"],
    "properties": {"customer": {"type": "string"}, "note": {"type": "string", "x-nullable": True}},
}
AS_OPENAPI: Json = ORDER | {
    "properties": {"customer": {"type": "string"}, "note": {"type": "string", "nullable": True}}
}
TEXTS: Json = {"type": "array", "items": {"type": "string"}}
FILE: Json = {"type": "string", "format": "binary"}
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


def swagger_of(paths: Json, **parts: Any) -> Json:
    return {
        "swagger": "2.0",
        "info": {"title": "Shop", "version": "1"},
        "host": "shop.example",
        "basePath": "/v1",
        "schemes": ["https"],
        "paths": paths,
        "definitions": {"Order": ORDER},
        **parts,
    }


def read_swagger(operation: Json, *, path: str = "/orders", **parts: Any) -> OpenAPIReading:
    return read_openapi(swagger_of({path: {"post": operation}}, **parts))


def read_same(operation: Json, *, path: str = "/orders") -> OpenAPIReading:
    return read_openapi(document_of({path: {"post": operation}}))


def taking(**parameter: Any) -> Json:
    return {"parameters": [{"name": "tags", "in": "query", **parameter}]}


def sending(*fields: Json, **parts: Any) -> Json:
    return {"parameters": [{"in": "formData", **field} for field in fields], **parts}


@pytest.mark.parametrize(
    ("swagger", "openapi"),
    [
        pytest.param(
            taking(
                type="integer", format="int64", minimum=1, description="How many.", required=True
            ),
            {
                "parameters": [
                    in_query(
                        "tags",
                        schema={"type": "integer", "format": "int64", "minimum": 1},
                        description="How many.",
                        required=True,
                    )
                ]
            },
            id="schema",
        ),
        pytest.param(
            taking(**TEXTS),
            {"parameters": [in_query("tags", schema=TEXTS, explode=False)]},
            id="a list, by commas",
        ),
        pytest.param(
            taking(**TEXTS, collectionFormat="multi"),
            {"parameters": [in_query("tags", schema=TEXTS, explode=True)]},
            id="a list, again and again",
        ),
        pytest.param(
            taking(**TEXTS, collectionFormat="pipes"),
            {"parameters": [in_query("tags", schema=TEXTS, style="pipeDelimited", explode=False)]},
            id="a list, by pipes",
        ),
        pytest.param(
            {
                "parameters": [
                    {"name": "order", "in": "body", "schema": {"$ref": "#/definitions/Order"}}
                ]
            },
            with_body(AS_OPENAPI),
            id="body",
        ),
        pytest.param(
            {
                "consumes": ["application/xml", "application/json"],
                "parameters": [{"name": "o", "in": "body", "required": True, "schema": ORDER}],
            },
            with_body(AS_OPENAPI, required=True),
            id="body of the type that fits best",
        ),
        pytest.param(
            sending({"name": "note", "type": "string", "description": "Why.", "required": True}),
            with_body(
                {
                    "type": "object",
                    "required": ["note"],
                    "properties": {"note": {"type": "string", "description": "Why."}},
                },
                content_type=FORM,
                required=True,
            ),
            id="form",
        ),
        pytest.param(
            sending({"name": "note", "type": "string"}, consumes=[MULTIPART]),
            with_body(
                {"type": "object", "properties": {"note": {"type": "string"}}},
                content_type=MULTIPART,
            ),
            id="form in parts",
        ),
        pytest.param(
            sending({"name": "photo", "type": "file", "required": True}, consumes=[FORM]),
            with_body(
                {"type": "object", "required": ["photo"], "properties": {"photo": FILE}},
                content_type=MULTIPART,
                required=True,
            ),
            id="file",
        ),
    ],
)
def test_operation_is_what_openapi_makes_of_it(swagger: Json, openapi: Json) -> None:
    reading = read_swagger(swagger)

    assert reading.faults == ()
    assert reading == read_same(openapi)


def test_parameters_of_the_path_and_of_the_document_are_taken_and_overridden() -> None:
    page = {"name": "page", "in": "query", "type": "integer"}
    item = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "type": "string"},
            page | {"description": "of the path"},
            {"name": "order", "in": "body", "schema": ORDER},
        ],
        "post": {"parameters": [{"$ref": "#/parameters/page"}]},
    }

    reading = read_openapi(swagger_of({"/orders/{id}": item}, parameters={"page": page}))

    asked = in_query("page", schema={"type": "integer"})
    same = {"parameters": [in_path("id"), asked], **with_body(AS_OPENAPI)}
    assert reading == read_same(same, path="/orders/{id}")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        pytest.param("addOrderUsingPOST", "addOrder", id="method"),
        pytest.param("addOrderUsingPOST_12", "addOrder", id="method of another class"),
        pytest.param("payUsingPOSTcode", "payUsingPOSTcode", id="within"),
        pytest.param("payUsingGET", "payUsingGET", id="another method"),
        pytest.param("UsingPOST", "UsingPOST", id="nothing else"),
    ],
)
def test_name_is_that_of_the_method_in_java(given: str, name: str) -> None:
    assert read_swagger({"operationId": given}).operations[0].name == name


def test_security_schemes_have_the_names_of_openapi() -> None:
    schemes = {
        "key": {"type": "apiKey", "name": "X-Key", "in": "header"},
        "password": {"type": "basic"},
    }

    reading = read_swagger({"security": [{"key": []}]}, securityDefinitions=schemes)

    key, password = reading.security_schemes["key"], reading.security_schemes["password"]
    assert (key.type, key.name, key.place) == ("apiKey", "X-Key", "header")
    assert (password.type, password.scheme) == ("http", "basic")
    assert reading.operations[0].security == (("key",),)


@pytest.mark.parametrize(
    ("parts", "urls"),
    [
        pytest.param({}, ["https://shop.example/v1"], id="whole"),
        pytest.param({"schemes": ["http", "https", "wss"]}, ["https", "http"], id="schemes"),
        pytest.param({"schemes": None}, ["https", "http"], id="the document's own scheme"),
        pytest.param({"basePath": "/"}, ["https://shop.example"], id="no path"),
        pytest.param({"host": None}, ["/v1"], id="no host"),
        pytest.param({"host": None, "basePath": None}, ["/"], id="nothing"),
    ],
)
def test_address_is_made_of_its_parts(parts: Json, urls: list[str]) -> None:
    expected = [url if "/" in url else f"{url}://shop.example/v1" for url in urls]

    assert list(read_swagger({}, **parts).operations[0].server_urls) == expected


def test_operation_may_have_schemes_of_its_own() -> None:
    (operation,) = read_swagger({"schemes": ["http"]}).operations

    assert operation.server_urls == ("http://shop.example/v1",)


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        pytest.param({"parameters": [{"$ref": "#/parameters/no"}]}, "no' leads to no", id="ref"),
        pytest.param(taking(**TEXTS, collectionFormat="tsv"), "style 'tabDelimited'", id="tabs"),
        pytest.param(taking(**TEXTS, collectionFormat=[1]), "style '[1]'", id="no format"),
        pytest.param({"parameters": [{"name": "a", "in": "b"}]}, "it may be in path", id="place"),
        pytest.param({"parameters": [7]}, "it may be in path", id="no parameter"),
        pytest.param("get", "it has to be an object", id="no operation"),
    ],
)
def test_what_openapi_has_no_word_for_is_a_fault_of_its_operation(
    operation: Any, text: str
) -> None:
    paths = {"/orders": {"post": operation}, "/stores": {"get": {}}, "/x": {"$ref": "#/none"}}

    reading = read_openapi(swagger_of(paths))

    assert [each.path for each in reading.operations] == ["/stores"]
    assert [fault.place for fault in reading.faults] == ["POST /orders", "/x"]
    assert text in str(reading.faults[0].text)


def test_version_without_quotes_is_one_too_and_others_are_refused() -> None:
    assert read_openapi(read_document("swagger: 2.0\npaths: {}")).operations == ()
    with pytest.raises(ImportFileError, match=r"neither OpenAPI 3 nor Swagger 2\.0"):
        read_openapi({"swagger": "1.2", "paths": {}})
