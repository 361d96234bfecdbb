"""A curl command as a request: address, query, headers, body, and the credentials that were in it."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from core.errors import EditError
from core.ingest.escapes import escape
from core.messages import message

MAX_COMMAND_CHARACTERS = 100_000
CredentialKind = Literal["bearer", "basic", "header", "query"]

_URL = re.compile(
    r"(?P<origin>https?://[^/?#\s@]+)(?P<path>[^?#\s]*)(?:\?(?P<query>[^#\s]*))?(?:#\S*)?",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"[\\^`]\r?\n")
_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SECRET = re.compile(
    r"(?:^|[-_])(?:api[-_]?key|apikey|appid|token|secret|password|auth|authorization|signature)(?:$|[-_])",
    re.IGNORECASE,
)
_SECRET_QUERY = re.compile(
    r"key|sig|(?:.*[-_])?(?:api[-_]?key|appid|token|secret|password)", re.IGNORECASE
)
# What clients say of themselves, which says nothing of the request.
_DROPPED = frozenset({"host", "content-length", "user-agent", "connection", "accept-encoding"})
_DATA = frozenset({"-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json"})
_WITH_VALUE = frozenset(
    {*_DATA, "-X", "--request", "-H", "--header", "-u", "--user", "--url", "--data-urlencode"}
    | {"-F", "--form", "-A", "--user-agent", "-b", "--cookie", "-e", "--referer", "-o", "--output"}
    | {"-m", "--max-time", "--connect-timeout", "-w", "--write-out", "--retry", "-x", "--proxy"}
    | {"-c", "--cookie-jar", "--cacert", "-E", "--cert", "--key", "--resolve", "--retry-delay"}
    | {"--oauth2-bearer", "-T", "--upload-file", "--limit-rate", "--http-version"}
)


@dataclass(frozen=True, slots=True)
class Credential:
    """What the command proves its caller by; `name` is the header or parameter of the last two kinds."""

    kind: CredentialKind
    secret: str = field(repr=False)
    name: str = ""
    username: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurlRequest:
    """The request without its credentials. `origin` is scheme and host; texts of the query are decoded.

    `body_kind` is '' if there is none. `left_out` names headers that tools do not send, such as cookies.
    """

    method: str
    origin: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body_kind: str = ""
    body: str = ""
    credential: Credential | None = None
    left_out: tuple[str, ...] = ()


def read_curl(command: str) -> CurlRequest:
    """The request of a command, copied from anywhere. Raises EditError that says what would be right."""
    reader = _Reader()
    for name, value in _read_options(command):
        reader.take(name, value)
    return reader.finish()


def _read_options(command: str) -> Iterator[tuple[str, str]]:
    """Options with their values, '' for flags; the address is an option `--url`."""
    if len(command) > MAX_COMMAND_CHARACTERS:
        raise EditError(message("curl.too_long", "the command is too long; shorten its body"))
    text = _CONTINUED.sub(" ", command.strip())
    # What browsers copy: $'...' with escapes.
    text = _ANSI_QUOTED.sub(lambda found: shlex.quote(_ESCAPED.sub(_unescape, found[1])), text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise EditError(
            message("curl.quotes", "the command ends within quotes; copy all of it")
        ) from error
    if not words or words.pop(0).rpartition("/")[2].removesuffix(".exe") != "curl":
        raise EditError(message("curl.no_curl", "this is no curl command; it begins with curl"))
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-") or word == "-":
            yield "--url", word
        elif name in _WITH_VALUE:
            yield name, value or next(rest, "")
        elif not word.startswith("--") and len(word) > 2:
            # Several short ones, the last perhaps with its value: -sSXPOST.
            at = next((at for at, one in enumerate(word) if f"-{one}" in _WITH_VALUE and at), 0)
            if at:
                yield f"-{word[at]}", word[at + 1 :] or next(rest, "")
            yield from ((f"-{one}", "") for one in word[1 : at or None])
        else:
            yield word, ""


class _Reader:
    def __init__(self) -> None:
        self.url, self.method, self.is_get = "", "", False
        self.data: list[str] = []
        self.form: list[tuple[str, str]] = []
        self.is_json = False
        self.headers: list[tuple[str, str]] = []
        self.left_out: list[str] = []
        self.credential: Credential | None = None

    def take(self, name: str, value: str) -> None:
        match name:
            case "--url":
                self.url = self.url or value
            case "-X" | "--request" | "-I" | "--head":
                self.method = value.upper() or "HEAD"
            case "-G" | "--get":
                self.is_get = True
            case "-F" | "--form" | "--data-urlencode":
                self._take_field(name, value)
            case "-H" | "--header":
                self._take_header(value)
            case "-u" | "--user":
                user, _, password = value.partition(":")
                self.credential = Credential("basic", password, username=user)
            case "--oauth2-bearer":
                self.credential = Credential("bearer", value)
            case "-b" | "--cookie":
                self.left_out.append("Cookie")
            case _ if name in _DATA:
                self.data.append(value)
                self.is_json = self.is_json or name == "--json"

    def _take_field(self, option: str, value: str) -> None:
        name, equals, text = value.partition("=")
        if option == "--data-urlencode":
            self.data.append(f"{escape(name)}={escape(text)}" if equals else escape(value))
        else:
            self.form.append((name, text))

    def _take_header(self, line: str) -> None:
        name, _, value = (part.strip() for part in line.partition(":"))
        scheme, _, secret = value.partition(" ")
        if name.lower() == "authorization" and scheme.lower() == "bearer":
            self.credential = Credential("bearer", secret.strip())
        elif name.lower() == "cookie":
            self.left_out.append(name)
        elif _SECRET.search(name) and value and self.credential is None:
            self.credential = Credential("header", value, name=name)
        elif _SECRET.search(name):
            self.left_out.append(name)
        elif name and name.lower() not in _DROPPED and not name.lower().startswith("sec-"):
            self.headers.append((name, value))

    def finish(self) -> CurlRequest:
        url = self.url if "://" in self.url else f"https://{self.url}"
        found = _URL.fullmatch(url)
        if found is None:
            raise EditError(
                message(
                    "curl.no_address",
                    "the command has no address such as https://api.example.com/v1/items",
                )
            )
        method = self.method or ("POST" if (self.data or self.form) and not self.is_get else "GET")
        if method not in {"GET", "POST", "PUT", "PATCH", "DELETE"}:
            raise EditError(
                message(
                    "curl.method",
                    "tools send GET, POST, PUT, PATCH and DELETE; the command sends {method}",
                    method=method[:20],
                )
            )
        pairs = _read_pairs("&".join([found["query"] or "", *(self.data if self.is_get else [])]))
        query = []
        for name, value in pairs:
            if _SECRET_QUERY.fullmatch(name) and value and self.credential is None:
                self.credential = Credential("query", value, name=name)
            else:
                query.append((name, value))
        kind, body = self._read_body()
        dropped = {"content-type"} if kind else set()
        return CurlRequest(
            method=method,
            origin=found["origin"].lower(),
            path=found["path"] or "/",
            query=tuple(query),
            headers=tuple(
                (name, value)
                for name, value in self.headers
                if name.lower() not in dropped and (name.lower(), value) != ("accept", "*/*")
            ),
            body_kind=kind,
            body=body,
            credential=self.credential,
            left_out=tuple(self.left_out),
        )

    def _read_body(self) -> tuple[str, str]:
        if self.form:
            return "multipart", _write_json(self.form)
        if not self.data or self.is_get:
            return "", ""
        text = "&".join(self.data)
        types = {name.lower(): value.lower() for name, value in self.headers}
        kind = types.get("content-type", "")
        if self.is_json or "json" in kind or text.lstrip().startswith(("{", "[")):
            return "json", text
        if not kind or "form-urlencoded" in kind:
            return "form", _write_json(_read_pairs(text))
        return "text", text


def _write_json(pairs: list[tuple[str, str]]) -> str:
    return json.dumps(dict(pairs), ensure_ascii=False, indent=2)


def _read_pairs(query: str) -> list[tuple[str, str]]:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return [(_decode(name), _decode(value)) for name, _, value in pairs]


def _decode(text: str) -> str:
    def decode(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")

    return _PERCENT.sub(decode, text.replace("+", " "))


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _CONTROLS.get(found[3], found[3])
