"""OpenAPI documents for tests, small and built from what a test is about."""

from typing import Any

from core.ingest.openapi import read_openapi
from core.ingest.operations import Operation

Json = dict[str, Any]


def document_of(paths: Json, **parts: Any) -> Json:
    return {
        "openapi": "3.0.3",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://shop.example/v1"}],
        "paths": paths,
        **parts,
    }


def operation_of(operation: Json, *, path: str = "/orders", method: str = "post") -> Operation:
    reading = read_openapi(document_of({path: {method: operation}}))
    assert reading.faults == ()
    return reading.operations[0]


def in_query(name: str, **parts: Any) -> Json:
    return {"name": name, "in": "query", "schema": {"type": "string"}, **parts}


def in_path(name: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def with_body(schema: Json, *, content_type: str = "application/json", **parts: Any) -> Json:
    return {"requestBody": {"content": {content_type: {"schema": schema}}, **parts}}
