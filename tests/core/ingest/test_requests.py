"""From arguments to a request: every value in its place, none that breaks out of it."""

from typing import Any

import pytest

from core.errors import ArgumentsError, DefinitionError
from core.ingest.requests import PlainRequest, build_request
from tests.core.ingest.documents import in_path, in_query, operation_of, with_body

ARRAY = {"type": "array", "items": {"type": "string"}}
OBJECT = {"type": "object", "properties": {"a": {}, "b": {}}}


def request_of(
    operation: dict[str, Any], *, path: str = "/orders", **arguments: Any
) -> PlainRequest:
    return build_request(operation_of(operation, path=path), arguments)


def header(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": {"type": "string"}}


def test_every_argument_goes_to_its_place() -> None:
    cookie = {"name": "theme", "in": "cookie", "schema": {"type": "string"}}
    body = with_body({"type": "object", "properties": {"note": {"type": "string"}}})
    operation = {"parameters": [in_query("q"), header("X-Trace"), cookie], **body}

    request = request_of(
        operation,
        path="/orders/{id}",
        id="7",
        q="a&b",
        **{"X-Trace": "t"},
        theme="dark;x",
        note="한글",
    )

    assert request == PlainRequest(
        method="POST",
        url="https://shop.example/v1/orders/7",
        query="q=a%26b",
        headers={"X-Trace": "t", "Cookie": "theme=dark%3Bx"},
        content_type="application/json",
        body='{"note":"한글"}'.encode(),
    )


@pytest.mark.parametrize(
    ("value", "segment"),
    [
        pytest.param("a/b", "a%2Fb", id="slash"),
        pytest.param("a%2fb", "a%252fb", id="escaped slash"),
        pytest.param("a?b#c", "a%3Fb%23c", id="query and fragment"),
        pytest.param("주문 1", "%EC%A3%BC%EB%AC%B8%201", id="other letters"),
        pytest.param("v1..2", "v1..2", id="dots within"),
        pytest.param(7, "7", id="number"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(["a", "b,c"], "a,b%2Cc", id="list"),
        pytest.param("\ud800", "%EF%BF%BD", id="half a character"),
    ],
)
def test_a_value_of_the_path_stays_in_its_segment(value: Any, segment: str) -> None:
    request = request_of({}, path="/files/{name}/info", name=value)

    assert request.url == f"https://shop.example/v1/files/{segment}/info"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(value, id=ascii(value))
        for value in (
            "..",
            ".",
            "../x",
            "a/../b",
            "a\\..",
            "%2e%2e",
            "%2E.",
            "%252e%252e",
            "..%2fx",
        )
    ],
)
def test_a_value_cannot_lead_to_another_path(value: str) -> None:
    with pytest.raises(
        ArgumentsError, match=r"name: must be without the path segments \. and \.\."
    ):
        request_of({}, path="/files/{name}", name=value)


@pytest.mark.parametrize("value", ["", [], "a\nb", "a%0ab", "a\x00"], ids=ascii)
def test_a_value_of_the_path_is_there_and_without_control_characters(value: Any) -> None:
    with pytest.raises(ArgumentsError, match="name: must"):
        request_of({}, path="/files/{name}", name=value)


@pytest.mark.parametrize(
    ("parts", "value", "query"),
    [
        pytest.param({"schema": ARRAY}, ["a", "b c"], "p=a&p=b%20c", id="list"),
        pytest.param({"schema": ARRAY, "explode": False}, ["a", "b,"], "p=a,b%2C", id="commas"),
        pytest.param(
            {"style": "pipeDelimited", "explode": False}, ["a", "b"], "p=a%7Cb", id="pipes"
        ),
        pytest.param(
            {"style": "spaceDelimited", "explode": False}, ["a", "b"], "p=a%20b", id="spaces"
        ),
        pytest.param({"style": "deepObject"}, {"a": 1, "b": None}, "p%5Ba%5D=1", id="deep object"),
        pytest.param(
            {"style": "deepObject"},
            {"a": {"gte": 1}, "b": [{"c": "x y"}, {"c": True}]},
            "p%5Ba%5D%5Bgte%5D=1&p%5Bb%5D%5B0%5D%5Bc%5D=x%20y&p%5Bb%5D%5B1%5D%5Bc%5D=true",
            id="deeper object",
        ),
        pytest.param(
            {"style": "deepObject", "explode": True},
            ["a", "b"],
            "p%5B%5D=a&p%5B%5D=b",
            id="deep list",
        ),
        pytest.param({"schema": OBJECT}, {"a": 1, "b": "x&"}, "a=1&b=x%26", id="object"),
        pytest.param({"explode": False}, {"a": 1, "b": 2}, "p=a,1,b,2", id="object with commas"),
        pytest.param(
            {"content": {"application/json": {"schema": OBJECT}}},
            {"a": 1},
            "p=%7B%22a%22%3A1%7D",
            id="JSON",
        ),
        pytest.param({"schema": {"type": "integer"}}, 5.0, "p=5", id="whole number"),
        pytest.param({"schema": {"type": ["integer", "number"]}}, 5.0, "p=5.0", id="any number"),
        pytest.param({"schema": {"type": "number"}}, 1e-7, "p=1e-07", id="small number"),
        pytest.param({}, "a&admin=1#", "p=a%26admin%3D1%23", id="another parameter"),
        pytest.param({}, [], "", id="nothing in the list"),
        pytest.param({}, None, "", id="null"),
    ],
)
def test_a_query_is_written_in_its_style(parts: Any, value: Any, query: str) -> None:
    request = request_of({"parameters": [in_query("p", **parts)]}, p=value)

    assert request.query == query


@pytest.mark.parametrize(
    "value", ["a\r\nX-Admin: 1", "a\nb", "a\x00", "한글", " a", "x" * 8_001], ids=ascii
)
def test_a_header_cannot_begin_another(value: str) -> None:
    with pytest.raises(ArgumentsError, match="X-Trace: must be printable ASCII on one line"):
        request_of({"parameters": [header("X-Trace")]}, **{"X-Trace": value})


@pytest.mark.parametrize("arguments", [{}, {"q": None}])
def test_a_missing_argument_is_named(arguments: Any) -> None:
    with pytest.raises(ArgumentsError, match=r"^q: is missing$"):
        request_of({"parameters": [in_query("q", required=True)]}, **arguments)


def test_an_unknown_argument_is_named_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        ArgumentsError, match=r"'pagee': is no argument of this tool; did you mean page\?"
    ):
        request_of({"parameters": [in_query("page")]}, pagee=1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, object(), 10**5_000], ids=type)
def test_what_has_no_text_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentsError, match="q: must be a text"):
        request_of({"parameters": [in_query("q")]}, q=value)


def test_a_long_address_is_refused() -> None:
    with pytest.raises(ArgumentsError, match="at most 16,000 characters"):
        request_of({"parameters": [in_query("q")]}, q="x" * 20_000)


FIELDS = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "tags": ARRAY,
        "size": {"type": "integer", "nullable": True},
    },
    "required": ["name"],
}


def test_null_is_sent_where_the_field_may_be_null() -> None:
    request = request_of(with_body(FIELDS), name="a", size=None, tags=None)

    assert request.body == b'{"name":"a","size":null}'


def test_an_optional_body_is_left_out_or_whole() -> None:
    assert request_of(with_body(FIELDS)) == PlainRequest("POST", "https://shop.example/v1/orders")
    with pytest.raises(ArgumentsError, match="name: is missing"):
        request_of(with_body(FIELDS), size=3)


def test_a_required_body_without_arguments_is_an_empty_object() -> None:
    body = with_body({"type": "object", "properties": {"a": {}}}, required=True)

    assert request_of(body).body == b"{}"


def test_a_body_of_one_argument_is_sent_as_it_is() -> None:
    assert request_of(with_body(ARRAY), body=["a", 1]).body == b'["a",1]'


def test_a_form_is_escaped() -> None:
    body = with_body(FIELDS, content_type="application/x-www-form-urlencoded")

    request = request_of(body, name="a&b=c", tags=["x", "y"])

    assert request.content_type == "application/x-www-form-urlencoded"
    assert request.body == b"name=a%26b%3Dc&tags=x&tags=y"


def test_a_multipart_form_cannot_be_broken_by_its_values() -> None:
    body = with_body(FIELDS, content_type="multipart/form-data")

    request = request_of(body, name='x"\r\n--boundary--\r\n')

    boundary = request.content_type.partition("boundary=")[2].encode()
    head, part, end = request.body.split(b"--" + boundary)
    assert (head, end) == (b"", b"--\r\n")
    assert (
        part == b'\r\nContent-Disposition: form-data; name="name"\r\n\r\nx"\r\n--boundary--\r\n\r\n'
    )


def test_an_object_of_a_form_is_written_as_the_document_says() -> None:
    fields = {
        "type": "object",
        "properties": {"meta": {"type": "object"}, "more": {"type": "object"}},
    }
    content = {"schema": fields, "encoding": {"meta": {"style": "deepObject", "explode": True}}}
    body = {"requestBody": {"content": {"application/x-www-form-urlencoded": content}}}

    request = request_of(body, meta={"a": {"b": "1 2"}, "c": ["x"]}, more={"d": 1})

    assert request.body == (b"meta%5Ba%5D%5Bb%5D=1%202&meta%5Bc%5D%5B%5D=x&more=%7B%22d%22%3A1%7D")


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "string", "format": "binary"}, id="3.0"),
        pytest.param({"type": "string", "contentMediaType": "application/octet-stream"}, id="3.1"),
        pytest.param(
            {"anyOf": [{"type": "string", "format": "binary"}, {"type": "null"}]}, id="or null"
        ),
        pytest.param({"type": "array", "items": {"format": "binary"}}, id="in a list"),
    ],
)
def test_a_file_of_a_multipart_form_has_a_file_name(schema: Any) -> None:
    fields = {"type": "object", "properties": {"table": schema, "name": {"type": "string"}}}
    value = ["a,b"] if schema.get("type") == "array" else "a,b"

    request = request_of(
        with_body(fields, content_type="multipart/form-data"), table=value, name="n"
    )

    assert (
        b'name="table"; filename="table"\r\nContent-Type: application/octet-stream\r\n\r\na,b\r\n'
        in request.body
    )
    assert b'name="name"\r\n\r\nn\r\n' in request.body


def test_a_text_is_sent_in_its_own_type() -> None:
    request = request_of(with_body({}, content_type="text/plain"), body="한글")

    assert (request.content_type, request.body) == ("text/plain", "한글".encode())


@pytest.mark.parametrize("value", [float("nan"), {1}], ids=str)
def test_a_body_that_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentsError, match="that JSON can hold"):
        request_of(with_body(ARRAY), body=value)


def test_another_server_may_be_named() -> None:
    request = build_request(operation_of({}), {}, server_url="http://10.0.0.5:8080/api/")

    assert request.url == "http://10.0.0.5:8080/api/orders"


@pytest.mark.parametrize(
    "url", ["/v1", "ftp://x/", "https://user:pw@x/", "https://x/?a=1", "https://x y/"]
)
def test_an_address_that_is_not_absolute_is_refused(url: str) -> None:
    with pytest.raises(DefinitionError, match="has to be absolute"):
        build_request(operation_of({}), {}, server_url=url)


def test_letters_of_the_fixed_path_are_escaped_once() -> None:
    assert request_of({}, path="/주문/%EC%A3%BC").url.endswith("/%EC%A3%BC%EB%AC%B8/%EC%A3%BC")


def test_parameters_of_one_segment_are_filled_in() -> None:
    operation = {"parameters": [in_path("from"), in_path("to")]}

    assert request_of(
        operation, path="/diff/{from}...{to}", **{"from": "a", "to": "b"}
    ).url.endswith("/diff/a...b")
