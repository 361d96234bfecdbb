"""curl commands, as documentation and browsers write them."""

import pytest

from core.errors import EditError
from core.ingest.curl import Credential, read_curl


def test_command_of_a_documentation_is_read() -> None:
    request = read_curl(
        """curl -sS -X POST 'https://API.example.com/v1/orders?dry=1&name=%EC%84%9C' \\
          -H 'Content-Type: application/json' -H "Accept: application/vnd.x+json" \\
          -H 'Authorization: Bearer abc.def' \\
          -d '{"sku": "A-1", "count": 2}'"""
    )

    assert (request.method, request.origin, request.path) == (
        "POST",
        "https://api.example.com",
        "/v1/orders",
    )
    assert request.query == (("dry", "1"), ("name", "서"))
    assert request.headers == (("Accept", "application/vnd.x+json"),)
    assert (request.body_kind, request.body) == ("json", '{"sku": "A-1", "count": 2}')
    assert request.credential == Credential("bearer", "abc.def")
    assert "abc.def" not in repr(request)


def test_command_of_a_browser_is_read() -> None:
    request = read_curl(
        "curl 'https://shop.example/api/search' -H 'sec-ch-ua: \"x\"' -b 'session=1' "
        '--data-raw $\'{"q":"it\\\'s \\u00fc"}\' --compressed'
    )

    assert (request.method, request.body) == ("POST", '{"q":"it\'s ü"}')
    assert (request.headers, request.left_out) == ((), ("Cookie",))


@pytest.mark.parametrize(
    ("command", "credential", "query"),
    [
        pytest.param(
            "curl -u ann:pw a.example/x", Credential("basic", "pw", "", "ann"), (), id="user"
        ),
        pytest.param(
            "curl a.example -H 'X-API-Key: s'", Credential("header", "s", "X-API-Key"), (), id="key"
        ),
        pytest.param(
            "curl 'a.example?api_key=s&n=1'",
            Credential("query", "s", "api_key"),
            (("n", "1"),),
            id="query",
        ),
    ],
)
def test_credential_is_told_apart(
    command: str, credential: Credential, query: tuple[tuple[str, str], ...]
) -> None:
    request = read_curl(command)

    assert (request.credential, request.query) == (credential, query)


@pytest.mark.parametrize(
    ("command", "method", "kind", "body"),
    [
        pytest.param("curl -G a.example -d q=1", "GET", "", "", id="get"),
        pytest.param(
            "curl -sSXPUT a.example --json '{}'", "PUT", "json", "{}", id="joined options"
        ),
        pytest.param(
            "curl a.example -d a=1 -d b=%20",
            "POST",
            "form",
            '{\n  "a": "1",\n  "b": " "\n}',
            id="form",
        ),
        pytest.param(
            "curl a.example -F a=1", "POST", "multipart", '{\n  "a": "1"\n}', id="multipart"
        ),
        pytest.param(
            "curl a.example -H 'Content-Type: text/csv' --data-binary 'a;b'",
            "POST",
            "text",
            "a;b",
            id="text",
        ),
    ],
)
def test_body_has_its_kind(command: str, method: str, kind: str, body: str) -> None:
    request = read_curl(command)

    assert (request.method, request.body_kind, request.body) == (method, kind, body)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("wget a.example", "begins with curl", id="wget"),
        pytest.param("curl 'a.example", "ends within quotes", id="quotes"),
        pytest.param("curl -s", "has no address", id="address"),
        pytest.param("curl -I a.example", "the command sends HEAD", id="head"),
    ],
)
def test_what_cannot_be_a_tool_is_explained(command: str, text: str) -> None:
    with pytest.raises(EditError, match=text):
        read_curl(command)
