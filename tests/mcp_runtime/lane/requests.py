"""The requests that both ways must answer alike, by what is told apart in each."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.mcp_runtime.lane.raw import META

Headers = list[tuple[str, str]]
Change = Callable[[Headers], Headers]


@dataclass(frozen=True)
class Case:
    """A request: what it changes of a plain call, and whether the lane itself is to answer it."""

    name: str
    is_direct: bool = False
    change: Change = list
    era: str = "2026-07-28"
    body: bytes | None = None
    message: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    method: str = "POST"
    path: str = "/mcp"

    def make_body(self) -> bytes:
        """The body as given, or a call of `multiply` with what is different in it."""
        if self.body is not None:
            return self.body
        params: dict[str, Any] = {"name": "multiply", "arguments": {"a": 2, "b": 3}}
        if self.era == "2026-07-28":
            params["_meta"] = META
        if self.message.get("method", "tools/call") != "tools/call":
            params.pop("name"), params.pop("arguments")
        params = {k: v for k, v in (params | self.params).items() if k not in self.without}
        plain = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        whole = {k: v for k, v in (plain | self.message).items() if k not in self.without}
        return json.dumps(whole).encode()

    def make_headers(self, host: str, token: str, session_id: str) -> Headers:
        message = json.loads(self.make_body()) if self.body is None else {}
        headers: Headers = [
            ("Host", host),
            ("Authorization", f"Bearer {token}"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ]
        if self.era == "2026-07-28":
            method = message.get("method", "tools/call")
            headers += [("MCP-Protocol-Version", self.era), ("Mcp-Method", str(method))]
            params = message.get("params", {"name": "multiply"})
            if isinstance(params, dict) and isinstance(params.get("name"), str):
                headers.append(("Mcp-Name", params["name"]))
        else:
            headers += [("MCP-Protocol-Version", self.era), ("Mcp-Session-Id", session_id)]
        return self.change(headers)


def put(name: str, *values: str) -> Change:
    """The header with these values in the place of its own; with none of them it is left out."""

    def change(headers: Headers) -> Headers:
        kept = [header for header in headers if header[0].lower() != name.lower()]
        return [*kept, *((name, value) for value in values)]

    return change


def call(**changes: Any) -> bytes:
    params = {"name": "multiply", "arguments": {"a": 2, "b": 3}, "_meta": META}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params} | changes
    ).encode()


OLD = "2025-11-25"
PLAIN = call()
# In a session.
CALL = Case("call", era=OLD)
LIST = Case("list", era=OLD, message={"method": "tools/list"})
END = Case("end", era=OLD, method="DELETE", body=b"")
CANCELLED = Case(
    "cancelled",
    era=OLD,
    message={"method": "notifications/cancelled"},
    params={"requestId": 41},
    without=("id",),
)
_IN_BASE64 = f"=?base64?{base64.b64encode(b'multiply').decode()}?="
_ARGUMENTS = b'"arguments": {"a": 2, "b": 3}'


def method(name: str, **fields: Any) -> dict[str, Any]:
    return {"message": {"method": name}, **fields}


ABOUT = {
    "protocolVersion": OLD,
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "raw", "version": "1"},
}


def opening(name: str, *, is_direct: bool = True, **params: Any) -> Case:
    """An `initialize`, with what is different in its parameters; those that are None are left out."""
    given = {key: value for key, value in (ABOUT | params).items() if value is not None}
    message = {"method": "initialize", "params": given}
    name = f"initialize: {name}"
    return Case(name, is_direct, put("Mcp-Session-Id"), OLD, message=message)


OPENINGS = [
    *(
        opening(version, protocolVersion=version)
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-12-31", "")
    ),
    opening(
        "more of the client", clientInfo={"name": "raw", "version": "1", "title": "Raw", "x": 1}
    ),
    opening("more capabilities", capabilities={"sampling": {}, "experimental": {"x": {"y": 1}}}),
    opening("unknown member", more=1),
    opening("envelope", is_direct=False, _meta={"progressToken": 1}),
    opening("no version", is_direct=False, protocolVersion=None),
    opening("version is a number", is_direct=False, protocolVersion=1),
    opening("no client", is_direct=False, clientInfo=None),
    opening("client without a version", is_direct=False, clientInfo={"name": "raw"}),
    opening("client is a text", is_direct=False, clientInfo="raw"),
    opening("no capabilities", is_direct=False, capabilities=None),
    opening("capabilities are a list", is_direct=False, capabilities=[]),
    Case(
        "initialize: long",
        era=OLD,
        change=put("Mcp-Session-Id"),
        message={
            "method": "initialize",
            "params": {**ABOUT, "clientInfo": {"name": "x" * 5_000, "version": "1"}},
        },
    ),
    Case(
        "initialize: no parameters",
        era=OLD,
        change=put("Mcp-Session-Id"),
        message={"method": "initialize"},
        without=("params",),
    ),
    Case(
        "initialize: id is null",
        era=OLD,
        change=put("Mcp-Session-Id"),
        message={"method": "initialize", "params": ABOUT, "id": None},
    ),
    Case(
        "initialize: no method",
        era=OLD,
        change=put("Mcp-Session-Id"),
        message={"method": "initialize", "params": ABOUT},
        without=("method",),
    ),
    Case("initialize: in a session", era=OLD, message={"method": "initialize", "params": ABOUT}),
]
CASES = [
    *OPENINGS,
    # Answered with a result.
    Case("plain", is_direct=True),
    Case("name with trailing blank", is_direct=True, change=put("Mcp-Name", "multiply  ")),
    Case("name with leading tab", is_direct=True, change=put("Mcp-Name", "\tmultiply")),
    Case("name in base64", change=put("Mcp-Name", _IN_BASE64)),
    Case("text for a number", is_direct=True, params={"arguments": {"a": "5", "b": 3}}),
    Case("whole float", is_direct=True, params={"arguments": {"a": 5.0, "b": 3}}),
    Case("id is text", is_direct=True, message={"id": "a"}),
    Case("id over 64 bits", is_direct=True, message={"id": 2**63}),
    Case("unknown member", message={"more": 1}),
    *(
        Case(f"traced, {value!r}", is_direct=True, params={"_meta": {**META, "traceparent": value}})
        for value in ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 'a "b" \\', 7)
    ),
    Case("progress token is null", params={"_meta": META | {"progressToken": None}}),
    Case("an envelope in a text", params={"_meta": {"x": json.dumps(META), "traceparent": "x"}}),
    Case(
        "key twice",
        is_direct=True,
        body=PLAIN.replace(_ARGUMENTS, b'"arguments": {"a": 1, "a": 2, "b": 3}'),
    ),
    Case("byte order mark", body=b"\xef\xbb\xbf" + PLAIN),
    Case("accepts anything", is_direct=True, change=put("Accept", "*/*")),
    Case(
        "content type with charset",
        is_direct=True,
        change=put("Content-Type", "application/json; charset=utf-8"),
    ),
    Case(
        "own origin",
        change=lambda headers: [*headers, ("Origin", f"http://{dict(headers)['Host']}")],
    ),
    Case(
        "scheme in small letters",
        change=lambda headers: put(
            "Authorization",
            dict(headers)["Authorization"].lower().split()[0]
            + " "
            + dict(headers)["Authorization"].split()[1],
        )(headers),
    ),
    Case("path with a query", path="/mcp?a=1"),
    Case("discover", is_direct=True, **method("server/discover")),
    Case("list", is_direct=True, **method("tools/list")),
    Case("list with a bad cursor", **method("tools/list", params={"cursor": "x"})),
    Case("handshake: call", is_direct=True, era=OLD),
    Case("handshake: ping", is_direct=True, era=OLD, **method("ping")),
    Case("handshake: list", is_direct=True, era=OLD, **method("tools/list")),
    Case(
        "handshake: other version's header",
        is_direct=True,
        era=OLD,
        change=put("MCP-Protocol-Version", "2025-03-26"),
    ),
    Case("handshake: no version", is_direct=True, era=OLD, change=put("MCP-Protocol-Version")),
    Case("handshake: version is empty", era=OLD, change=put("MCP-Protocol-Version", "")),
    Case("handshake: envelope is null", era=OLD, params={"_meta": None}),
    Case("handshake: envelope is a list", era=OLD, params={"_meta": []}),
    Case("handshake: progress token is null", era=OLD, params={"_meta": {"progressToken": None}}),
    Case("handshake: prompts", era=OLD, **method("prompts/list")),
    # Answered with a result that is an error of the tool.
    Case("unknown tool", params={"name": "nothing"}),
    Case("wrong type", is_direct=True, params={"arguments": {"a": [1], "b": 3}}),
    Case("too large", is_direct=True, params={"arguments": {"a": 2**70, "b": 3}}),
    Case("extra argument", is_direct=True, params={"arguments": {"a": 1, "b": 3, "c": 4}}),
    Case("arguments are null", params={"arguments": None}),
    Case("no arguments", is_direct=True, without=("arguments",)),
    Case("not a number", body=PLAIN.replace(b'"a": 2', b'"a": NaN')),
    Case("beyond floats", body=PLAIN.replace(b'"a": 2', b'"a": 1e400')),
    Case("handshake: unknown tool", era=OLD, params={"name": "nothing"}),
    Case("handshake: wrong type", is_direct=True, era=OLD, params={"arguments": {"a": [1]}}),
    # Refused with the status 400.
    Case("other name in the header", change=put("Mcp-Name", "add")),
    Case("no name in the header", change=put("Mcp-Name")),
    Case("name twice", change=put("Mcp-Name", "multiply", "multiply")),
    Case("no method in the header", change=put("Mcp-Method")),
    Case("method in capitals", change=put("Mcp-Method", "TOOLS/CALL")),
    Case("version twice", change=put("MCP-Protocol-Version", "2026-07-28", "2026-07-28")),
    Case("version unknown", change=put("MCP-Protocol-Version", "2027-01-01")),
    Case(
        "version not the body's",
        params={"_meta": META | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}},
    ),
    Case("no envelope", without=("_meta",)),
    Case(
        "envelope without capabilities",
        params={"_meta": {k: v for k, v in META.items() if "Capa" not in k}},
    ),
    Case(
        "capabilities are a list",
        params={"_meta": META | {"io.modelcontextprotocol/clientCapabilities": []}},
    ),
    Case(
        "client's name is a number",
        params={"_meta": META | {"io.modelcontextprotocol/clientInfo": {"name": 1}}},
    ),
    Case("arguments are a list", params={"arguments": [1]}),
    Case("id is null", message={"id": None}),
    Case("id is a fraction", message={"id": 1.5}),
    Case("id is true", message={"id": True}),
    Case("other JSON-RPC", message={"jsonrpc": "1.0"}),
    Case("batch", body=b"[" + PLAIN + b"]"),
    Case("posted answer", body=b'{"jsonrpc": "2.0", "id": 1, "result": {}}'),
    Case("broken JSON", body=PLAIN[:-1]),
    Case("no body", body=b""),
    Case("half a character", body=PLAIN.replace(b'"multiply"', b'"\\ud800"')),
    Case("bytes that are no text", body=PLAIN.replace(b"multiply", b"\xff\xfe")),
    Case("deep", body=PLAIN.replace(b'"a": 2', b'"a": ' + b"[" * 100_000 + b"]" * 100_000)),
    Case("content type text", change=put("Content-Type", "text/plain")),
    Case("no content type", change=put("Content-Type")),
    Case("handshake: no session", era=OLD, change=put("Mcp-Session-Id")),
    Case("handshake: batch", era=OLD, body=b"[" + PLAIN + b"]"),
    Case("handshake: id is null", era=OLD, message={"id": None}),
    Case("handshake: no method", era=OLD, without=("method", "id")),
    # Refused otherwise.
    Case("no key", change=put("Authorization")),
    Case("wrong key", change=put("Authorization", "Bearer tb_0123456789ab_nothing")),
    Case("key twice", change=lambda headers: [*headers, headers[1]]),
    Case("other site", change=lambda headers: [*headers, ("Origin", "https://evil.example")]),
    Case("other host", change=put("Host", "evil.example")),
    Case("no accept", change=put("Accept")),
    Case("accepts JSON alone", change=put("Accept", "application/json")),
    Case("handshake: accepts JSON alone", era=OLD, change=put("Accept", "application/json")),
    Case("handshake: unknown session", era=OLD, change=put("Mcp-Session-Id", "0" * 32)),
    Case("unknown method", **method("tools/nothing")),
    Case("ping of this era", **method("ping")),
    Case("initialize of this era", **method("initialize")),
    Case("GET", method="GET", body=b""),
    Case("DELETE", method="DELETE", body=b""),
    Case("PUT", method="PUT"),
    Case("notification", message={"method": "notifications/cancelled"}, without=("id",)),
    Case(
        "handshake: notification",
        era=OLD,
        message={"method": "notifications/progress"},
        without=("id",),
        params={"progressToken": 1, "progress": 1},
    ),
    Case("path with a slash", path="/mcp/"),
    Case("large", body=PLAIN.replace(b'"a": 2', b'"a": "' + b"x" * 9_000_000 + b'"')),
    Case("parameter header", change=lambda headers: [*headers, ("Mcp-Param-A", "2")]),
]
