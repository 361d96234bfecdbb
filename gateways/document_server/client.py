"""Another installation's data catalogue: its settings, and its four answers, checked for their shape."""

import asyncio
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
import orjson

from core.errors import (
    ConfigurationError,
    DocumentServerError,
    DocumentServerUnavailableError,
    UnknownTableError,
)
from core.messages import message
from gateways.circuit import Circuit
from gateways.http.client import AnswerTooLargeError, ServerAnswer, ServerClient, is_untrusted
from gateways.patience import patient_timeout

# The largest answer has 80,000 tokens; servers may count them otherwise.
MAX_ANSWER_BYTES = 8 * 1024 * 1024
PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})
ATTEMPTS = 2
# What servers and proxies commonly take as an address.
MAX_NAMES_CHARACTERS = 6_000
MAX_MESSAGE_CHARACTERS = 2_000
ADDRESS_HINT = message(
    "document_server.address_hint",
    "DOCUMENT_SERVER_URL must lead to a server with a data catalogue, as in http://localhost:3002",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentServerSettings:
    """One server. `url` is its address, given with or without `/api`; `timeout_s` is for a whole call.

    Raises ConfigurationError for a URL that is none and for a token that cannot be sent.
    """

    # Either may hold a secret.
    url: str = field(repr=False)
    token: str = field(default="", repr=False)
    timeout_s: float = 5.0
    connect_timeout_s: float = 2.0

    def __post_init__(self) -> None:
        try:
            parsed = httpx.URL(self.url.strip())
        except httpx.InvalidURL:
            parsed = httpx.URL()
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise ConfigurationError(
                message(
                    "document_server.address",
                    "DOCUMENT_SERVER_URL must be the http:// or https:// address of a server"
                    " with a data catalogue, as in http://localhost:3002",
                )
            )
        path = parsed.path.rstrip("/").removesuffix("/api")
        url = str(parsed.copy_with(path=f"{path}/api", query=None, fragment=None))
        token = self.token.strip()
        if not (token.isascii() and token.isprintable()):
            raise ConfigurationError(
                message(
                    "document_server.token_characters",
                    "DOCUMENT_SERVER_TOKEN has characters that no API key has; enter it again",
                )
            )
        object.__setattr__(self, "url", url)
        object.__setattr__(self, "token", token)


class DocumentServerDownError(DocumentServerUnavailableError):
    """A failure that the next caller would meet too."""


class DocumentServerClient:
    """Asks one server. Any number of calls at once; belongs to one event loop.

    Every call raises DocumentServerUnavailableError when the server is down or too slow, and
    DocumentServerError when it refuses or does not answer as a catalogue does.
    """

    def __init__(self, settings: DocumentServerSettings) -> None:
        self._timeout_s = settings.timeout_s
        self._circuit = Circuit(DocumentServerDownError)
        self._client = ServerClient(
            settings.url,
            settings.token,
            connect_timeout_s=settings.connect_timeout_s,
            max_answer_bytes=MAX_ANSWER_BYTES,
        )

    async def summaries(self, tag: str | None = None) -> dict[str, Any]:
        """Summaries of all tables, or of those of a tag."""
        answer = await self._get("/tables", {"tag": tag} if tag else None)
        return _read(answer, {"tables": list, "total": int})

    async def tags(self) -> dict[str, Any]:
        """All tags with the number of their tables."""
        return _read(await self._get("/tags"), {"tags": list})

    async def details(self, names: Sequence[str]) -> dict[str, Any]:
        """All about the named tables. Raises UnknownTableError where the server knows none of them."""
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="").writerow(names)
        if len(quote(text.getvalue())) > MAX_NAMES_CHARACTERS:
            raise DocumentServerError(
                message(
                    "document_server.names_too_long",
                    "these names are too long together; ask for fewer tables",
                )
            )
        return _read(await self._get("/tables", {"names": text.getvalue()}), {"tables": list})

    async def connection(self, name: str) -> dict[str, Any]:
        """How code reaches the table's database. Raises UnknownTableError."""
        # A part that is only dots would lead to another address.
        part = quote(name, safe="") if set(name) != {"."} else name.replace(".", "%2E")
        if len(part) > MAX_NAMES_CHARACTERS:
            raise UnknownTableError(
                message(
                    "document_server.name_too_long", "no table has so long a name; list the tables"
                )
            )
        answer = await self._get(f"/tables/{part}/connection")
        return _read(answer, {"table_name": str, "connection_code": dict})

    async def close(self) -> None:
        """Close the connections; a later request would open them again."""
        await self._client.close()

    async def _get(self, path: str, query: Mapping[str, str] | None = None) -> ServerAnswer:
        """The answer at an address below the API's; asks once more when the server failed or was gone.

        Raises DocumentServerUnavailableError, at once while the server is known to be down.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timeout_s
        async with self._circuit.passage(self._timeout_s):
            try:
                async with patient_timeout(until - loop.time()):
                    return await self._get_patiently(path, query)
            except AnswerTooLargeError as error:
                raise DocumentServerError(
                    message(
                        "document_server.answer_too_large",
                        "the document server's answer is too large; ask for fewer tables",
                    )
                ) from error
            except TimeoutError as error:
                raise DocumentServerDownError(
                    message(
                        "document_server.no_answer",
                        "the document server did not answer within {seconds} s; try again later",
                        seconds=f"{self._timeout_s:g}",
                    )
                ) from error

    async def _get_patiently(self, path: str, query: Mapping[str, str] | None) -> ServerAnswer:
        for attempt in range(ATTEMPTS):
            try:
                answer = await self._client.request("GET", path, query=query)
            except httpx.RequestError as error:
                # Most often the server closed an idle connection, or was restarted.
                if attempt < ATTEMPTS - 1:
                    continue
                untrusted = message(
                    "document_server.certificate",
                    "the document server's certificate is not trusted here; set SSL_CERT_FILE to"
                    " a file with the certificate of its authority",
                )
                away = message(
                    "document_server.unreachable",
                    "the document server cannot be reached; try again later",
                )
                raise DocumentServerDownError(untrusted if is_untrusted(error) else away) from error
            if answer.status not in PASSING_STATUSES:
                return answer
        raise DocumentServerDownError(
            message(
                "document_server.not_ready",
                "the document server is not ready (status {status}); try again later",
                status=str(answer.status),
            )
        )


def _read(answer: ServerAnswer, kinds: Mapping[str, type]) -> dict[str, Any]:
    """The object of a good answer, which has at least these keys with values of these types."""
    try:
        content = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        content = {}
    if not isinstance(content, dict):
        content = {}
    if answer.status != 200:
        raise _refusal(answer.status, content)
    if not all(isinstance(content.get(key), kind) for key, kind in kinds.items()):
        raise DocumentServerError(
            message(
                "document_server.no_catalogue_answer",
                "the document server did not answer as a data catalogue does; {hint}",
                hint=ADDRESS_HINT,
            )
        )
    return content


def _refusal(status: int, content: Mapping[str, Any]) -> DocumentServerError | UnknownTableError:
    reason = str(content.get("message", ""))[:MAX_MESSAGE_CHARACTERS]
    match status:
        case 401:
            return DocumentServerError(
                message(
                    "document_server.token_refused",
                    "the document server does not accept DOCUMENT_SERVER_TOKEN; it must be a"
                    " valid API key of that server",
                )
            )
        case 403:
            return DocumentServerError(
                message(
                    "document_server.tool_missing",
                    "the API key in DOCUMENT_SERVER_TOKEN does not have this tool on the"
                    " document server",
                )
            )
        case 404 if content.get("error") == "unknown_table" and reason:
            return UnknownTableError(reason)
        case 400 if content.get("error") and reason:
            return DocumentServerError(
                message(
                    "document_server.refused",
                    "the document server refused the request: {reason}",
                    reason=reason,
                )
            )
    return DocumentServerError(
        message(
            "document_server.no_catalogue",
            "the document server has no data catalogue at this address (status {status}); {hint}",
            status=str(status),
            hint=ADDRESS_HINT,
        )
    )
