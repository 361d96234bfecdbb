"""Reads plain MCP requests, and nothing else, out of headers and bodies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import msgspec
from mcp_types import InitializeRequestParams, RequestParams, methods
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from msgspec import UNSET, Raw, Struct, UnsetType
from pydantic import ValidationError

from core.trace_context import read_traceparent
from mcp_runtime.origins import CLIENT_INFO, read_client

MODERN = {version.encode(): version for version in MODERN_PROTOCOL_VERSIONS}
HANDSHAKE = {version.encode(): version for version in HANDSHAKE_PROTOCOL_VERSIONS}
# Each key of a client's envelope is checked once; a client that sends ever new ones costs no memory.
_ENVELOPES_KEPT = 512
MAX_ENVELOPE_BYTES = 4_096
# No quote within a text is without a backslash, so this is always a key with its value.
_TRACEPARENT = re.compile(rb'"traceparent"\s*:\s*"[^"\\]*"')
_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


class CallParams(Struct, forbid_unknown_fields=True):
    """The parameters of `tools/call` and of requests that have none but the envelope."""

    name: str | UnsetType = UNSET
    arguments: dict[str, Any] | UnsetType = UNSET
    meta: Raw = msgspec.field(name="_meta", default_factory=Raw)


class _Trace(Struct):
    """What `_meta` says of the trace that a request belongs to."""

    traceparent: Any = None


class LaneRequest(Struct, forbid_unknown_fields=True):
    """One JSON-RPC request."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: str
    params: CallParams = msgspec.field(default_factory=CallParams)


class OpeningRequest(Struct, forbid_unknown_fields=True):
    """The request that begins a session, without anything that does not belong to it."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: Literal["initialize"]
    params: Raw


class _Initialized(Struct, forbid_unknown_fields=True):
    """What a client says when it has read the answer to that request."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/initialized"]
    params: dict[str, Any] | UnsetType = UNSET


class _Cancelled(Struct):
    request_id: int | str = msgspec.field(name="requestId")


class _Cancellation(Struct):
    """The notification of a client that no longer waits for a request of its session."""

    method: Literal["notifications/cancelled"]
    params: _Cancelled


class _OpeningParams(Struct):
    version: str = msgspec.field(name="protocolVersion")


class _Opening(Struct):
    """The request that begins a session."""

    method: Literal["initialize"]
    params: _OpeningParams


class _Message(Struct):
    method: str = ""


_messages = msgspec.json.Decoder(_Message)
_requests = msgspec.json.Decoder(LaneRequest)
_openings = msgspec.json.Decoder(_Opening)
_opening_requests = msgspec.json.Decoder(OpeningRequest)
_initialized = msgspec.json.Decoder(_Initialized)
_traces = msgspec.json.Decoder(_Trace)
_cancellations = msgspec.json.Decoder(_Cancellation)
# What bodies that are not plain make of the decoder; MsgspecError is no ValueError.
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


def read_request(body: bytes) -> LaneRequest | None:
    """The request, None for anything but a plain one."""
    try:
        return _requests.decode(body)
    except _UNREADABLE:
        return None


def read_cancellation(body: bytes) -> int | str | None:
    """The id of the request that is cancelled; None where the body is something else."""
    try:
        return _cancellations.decode(body).params.request_id
    except _UNREADABLE:
        return None


def read_trace(meta: bytes) -> str:
    """The `traceparent` of `_meta`; '' where it has none that is well-formed."""
    try:
        return read_traceparent(_traces.decode(meta).traceparent) if _has_trace(meta) else ""
    except _UNREADABLE:
        return ""


def _has_trace(meta: bytes) -> bool:
    # `in` would take the text for a number first, and the error of that costs more than the search.
    return meta.find(b'"traceparent"') >= 0


def read_opening(body: bytes) -> str | None:
    """The version that a client asks for where the body begins a session; None where it does not."""
    try:
        return _openings.decode(body).params.version
    except _UNREADABLE:
        return None


def read_opening_request(body: bytes) -> OpeningRequest | None:
    """The request that begins a session, None for anything but a plain one."""
    try:
        return _opening_requests.decode(body)
    except _UNREADABLE:
        return None


@lru_cache(_ENVELOPES_KEPT)
def read_opening_params(params: bytes) -> tuple[str, tuple[str, str], bytes] | None:
    """The version that is agreed on, the client's name and version, and the parameters, one copy for all who send them.

    None where the SDK might not take them.
    """
    try:
        given = msgspec.json.decode(params)
        methods.validate_client_request("initialize", LATEST_HANDSHAKE_VERSION, given)
        requested = InitializeRequestParams.model_validate(given, by_name=False).protocol_version
    except (*_UNREADABLE, KeyError, ValidationError):
        return None
    if "_meta" in given:
        return None
    return agree_on_version(requested), read_client(given["clientInfo"]), params


def agree_on_version(requested: str) -> str:
    """The version of a session whose client asks for that one."""
    is_known = requested in HANDSHAKE_PROTOCOL_VERSIONS
    return requested if is_known else LATEST_HANDSHAKE_VERSION


def is_initialized(body: bytes) -> bool:
    """Whether the body is no more than the notification that follows the answer to `initialize`."""
    try:
        return bool(_initialized.decode(body))
    except _UNREADABLE:
        return False


def concerns_another_request(body: bytes) -> bool:
    """Whether a message is about a request under way: an answer to the server, or a cancellation."""
    try:
        return _messages.decode(body).method in ("", "notifications/cancelled")
    except _UNREADABLE:
        return False


@dataclass(slots=True)
class JudgedHead:
    """What the plain headers of a request say, sent from `peer` to the address `server`; see `DirectLane`."""

    server: tuple[str, int | None] | None
    peer: str
    token: str
    forwarded: str
    toolset: str
    # Of the protocol, '' where it is that of the session.
    version: str
    method: bytes | None
    tool: bytes | None
    # '' outside of sessions.
    session_id: str
    session: str
    # The client's, '' if unknown.
    address: str
    language: str
    # The client's X-Request-ID, b"" without one.
    request_id: bytes
    # Lines of the answer's head.
    lines: bytes

    def routes(self, request: LaneRequest) -> bool:
        """Whether the routing headers of 2026-07-28 say literally what the body says."""
        if self.method != request.method.encode():
            return False
        name = request.params.name
        return name is UNSET or self.tool == name.encode()


def is_plain(headers: Mapping[bytes, bytes]) -> bool:
    """Whether the headers are those of an ordinary client, which takes both kinds of answers."""
    return (
        b"origin" not in headers
        and headers.get(b"content-type", b"").split(b";", 1)[0] == b"application/json"
        and _takes_both(headers.get(b"accept", b""))
        and b"mcp-param-" not in b" ".join(headers)
    )


@lru_cache(256)
def _takes_both(accept: bytes) -> bool:
    kinds = {kind.split(b";")[0].strip().lower() for kind in accept.split(b",")}
    return b"*/*" in kinds or kinds >= {b"application/json", b"text/event-stream"}


def read_envelope(method: str, version: str, meta: bytes) -> tuple[str, str] | None:
    """Name and version of the client in `_meta`, None where the SDK would not take it.

    Read once for each envelope, as clients repeat theirs; longer ones than `MAX_ENVELOPE_BYTES` are
    not to be kept.
    """
    if _has_trace(meta):
        # Each call has its own, and any text is as good as another.
        meta = _TRACEPARENT.sub(b'"traceparent":""', meta)
    return _read_envelope(method, version, meta)


@lru_cache(_ENVELOPES_KEPT)
def _read_envelope(method: str, version: str, meta: bytes) -> tuple[str, str] | None:
    if not meta:
        return None if version in MODERN_PROTOCOL_VERSIONS else ("", "")
    params: dict[str, Any] = {"name": "a"} if method == "tools/call" else {}
    try:
        envelope = msgspec.json.decode(meta)
        if not isinstance(envelope, dict):
            return None
        methods.validate_client_request(method, version, {**params, "_meta": envelope})
        # The SDK checks twice, the second time by what a handler takes.
        RequestParams.model_validate({"_meta": envelope}, by_name=False)
    except (*_UNREADABLE, KeyError, ValidationError):
        return None
    found = read_client(envelope.get(CLIENT_INFO))
    if version not in MODERN_PROTOCOL_VERSIONS:
        return found
    is_good = envelope.get(_PROTOCOL_VERSION) == version and _CLIENT_CAPABILITIES in envelope
    return found if is_good else None
