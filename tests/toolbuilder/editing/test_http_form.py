"""The fields of a request, and the definition that they are."""

import json

import pytest
from django.http import QueryDict

from core.http_logic import operation_text, read_operation
from core.ingest.openapi import read_openapi
from tests.http_service import DOCUMENT
from toolbuilder.editing.http_form import (
    HttpFields,
    ValueRow,
    read_fields,
    read_posted_fields,
    write_definition,
)

OPERATIONS = {operation.name: operation for operation in read_openapi(DOCUMENT).operations}
WRITTEN = HttpFields(
    method="POST",
    path="/forecast/{city}",
    query=(ValueRow("days", "{days}"), ValueRow("units", "metric")),
    headers=(ValueRow("X-Trace", "no. {days}"),),
    body_kind="json",
    body='{"a": {n}}',
    keep_kind="expression",
    keep_expression='response["daily"]',
    paging_kind="page",
    paging_items="daily",
    paging_parameter="page",
    paging_pages=3,
    retries=2,
)


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_described_operation_stays_what_it_is(name: str) -> None:
    before = operation_text(OPERATIONS[name])

    after = write_definition(read_fields(before), before)

    assert read_operation(after) == read_operation(before)


def test_written_request_is_read_again() -> None:
    definition = write_definition(WRITTEN)

    assert read_fields(definition) == WRITTEN
    assert [one.argument for one in read_operation(definition).parameters] == ["city", "days", "n"]


def test_what_a_document_says_of_a_value_stays_with_it() -> None:
    before = operation_text(OPERATIONS["list_pets"])
    fields = HttpFields(path="/pets", query=(ValueRow("max", "{limit}"), ValueRow("kind", "cat")))

    operation = read_operation(write_definition(fields, before))

    (limit,) = operation.parameters
    assert (limit.name, limit.argument, limit.schema["maximum"]) == ("max", "limit", 50)
    assert [(value.name, value.text) for value in operation.values] == [("kind", "cat")]


def test_body_that_is_changed_is_written_out() -> None:
    before = operation_text(OPERATIONS["add_pet"])
    fields = read_fields(before)
    changed = fields.body.replace("{name}", '{name}, "age": {age}', 1)

    operation = read_operation(
        write_definition(
            HttpFields(method="POST", path=fields.path, body_kind="json", body=changed), before
        )
    )

    assert operation.body is not None
    assert operation.body.template == changed
    rows = {one.argument: one.needs_row for one in operation.parameters}
    assert (rows["name"], rows["age"]) == (False, True)


def test_form_is_read_without_its_empty_rows() -> None:
    data = QueryDict(mutable=True)
    data.setlist("http-query-name", ["a", "", "b"])
    data.setlist("http-query-value", ["{x}", "", "1"])
    data.update({"http-method": "brew", "http-path": " /a ", "http-retries": "99"})

    fields = read_posted_fields(data)

    assert (fields.method, fields.path, fields.retries) == ("GET", "/a", 5)
    assert fields.query == (ValueRow("a", "{x}"), ValueRow("b", "1"))


def test_fields_that_say_nothing_are_no_definition() -> None:
    assert write_definition(HttpFields()) == ""
    assert read_fields("no JSON") == read_fields(json.dumps([1])) == HttpFields()
