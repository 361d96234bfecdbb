"""The four answers of a remote data catalogue, checked for their shape."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import orjson

from core.errors import DocumentServerError, UnknownTableError
from core.messages import message
from gateways.document_server.requests import DocumentServerRequests, ServerAnswer
from gateways.document_server.settings import DocumentServerSettings

__all__ = ["DocumentServerClient", "DocumentServerSettings"]

# What servers and proxies commonly take as an address.
MAX_NAMES_CHARACTERS = 6_000
MAX_MESSAGE_CHARACTERS = 2_000
ADDRESS_HINT = message(
    "document_server.address_hint",
    "DOCUMENT_SERVER_URL must lead to a server with a data catalogue, as in http://localhost:3002",
)


class DocumentServerClient:
    """Asks one server. Any number of calls at once; belongs to one event loop.

    Every call raises DocumentServerUnavailableError when the server is down or too slow, and
    DocumentServerError when it refuses or does not answer as a catalogue does.
    """

    def __init__(self, settings: DocumentServerSettings) -> None:
        self._requests = DocumentServerRequests(settings)

    async def summaries(self, tag: str | None = None) -> dict[str, Any]:
        """Summaries of all tables, or of those of a tag."""
        answer = await self._requests.get("tables", {"tag": tag} if tag else None)
        return _read(answer, {"tables": list, "total": int})

    async def tags(self) -> dict[str, Any]:
        """All tags with the number of their tables."""
        return _read(await self._requests.get("tags"), {"tags": list})

    async def details(self, names: Sequence[str]) -> dict[str, Any]:
        """All about the named tables. Raises UnknownTableError where the server knows none of them."""
        listed = _as_csv(names)
        if len(quote(listed)) > MAX_NAMES_CHARACTERS:
            raise DocumentServerError(
                message(
                    "document_server.names_too_long",
                    "these names are too long together; ask for fewer tables",
                )
            )
        return _read(await self._requests.get("tables", {"names": listed}), {"tables": list})

    async def connection(self, name: str) -> dict[str, Any]:
        """How code reaches the table's database. Raises UnknownTableError."""
        part = _as_path(name)
        if len(part) > MAX_NAMES_CHARACTERS:
            raise UnknownTableError(
                message(
                    "document_server.name_too_long", "no table has so long a name; list the tables"
                )
            )
        answer = await self._requests.get(f"tables/{part}/connection")
        return _read(answer, {"table_name": str, "connection_code": dict})

    async def close(self) -> None:
        """Close the connections."""
        await self._requests.close()


def _as_csv(names: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def _as_path(name: str) -> str:
    # A part that is only dots would lead to another address.
    return quote(name, safe="") if set(name) != {"."} else name.replace(".", "%2E")


def _read(answer: ServerAnswer, wanted: Mapping[str, type]) -> dict[str, Any]:
    """The object of a good answer, which has at least these keys with values of these types."""
    content = _parse(answer.body)
    if answer.status != 200:
        raise _refusal(answer.status, content)
    if not all(isinstance(content.get(key), kind) for key, kind in wanted.items()):
        raise DocumentServerError(
            message(
                "document_server.no_catalogue_answer",
                "the document server did not answer as a data catalogue does; {hint}",
                hint=ADDRESS_HINT,
            )
        )
    return content


def _parse(body: bytes) -> dict[str, Any]:
    """The object, or an empty one for anything else."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return content if isinstance(content, dict) else {}


def _refusal(status: int, content: Mapping[str, Any]) -> DocumentServerError | UnknownTableError:
    said = str(content.get("message", ""))[:MAX_MESSAGE_CHARACTERS]
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
        case 404 if content.get("error") == "unknown_table" and said:
            return UnknownTableError(said)
        case 400 if content.get("error") and said:
            return DocumentServerError(
                message(
                    "document_server.refused",
                    "the document server refused the request: {reason}",
                    reason=said,
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
