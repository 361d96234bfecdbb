"""The data catalogue as the catalogue tools read it: this installation's, or another one's."""

from collections.abc import Sequence
from typing import Any, Protocol

from django.conf import settings

from access.database_thread import DatabaseThread
from catalog.serving.answers import tell_connection, tell_details, tell_summaries, tell_tags
from core.errors import DocumentServerUnavailableError
from core.messages import message
from gateways.document_server.client import DocumentServerClient, DocumentServerSettings


class CatalogueReader(Protocol):
    """The four answers; `owner` is the user name of the API key's owner, '' where there is none.

    All raise DocumentServerUnavailableError while the catalogue is away.
    """

    async def summaries(self, owner: str, tag: str | None) -> dict[str, Any]:
        """The first stage: all tables, or those of a tag."""

    async def tags(self, owner: str) -> dict[str, Any]:
        """All tags with the number of their tables."""

    async def details(self, owner: str, names: Sequence[str]) -> dict[str, Any]:
        """The second stage: all about the named tables. Raises UnknownTableError for none known."""

    async def connection(self, owner: str, name: str) -> dict[str, Any]:
        """How code reaches the table's database. Raises UnknownTableError."""

    async def close(self) -> None:
        """Close what it holds open."""


class RemoteCatalogue:
    """Another installation's catalogue, with the rights of the owner of DOCUMENT_SERVER_TOKEN for everybody."""

    def __init__(self, client: DocumentServerClient) -> None:
        self._client = client

    async def summaries(self, _owner: str, tag: str | None) -> dict[str, Any]:
        return await self._client.summaries(tag)

    async def tags(self, _owner: str) -> dict[str, Any]:
        return await self._client.tags()

    async def details(self, _owner: str, names: Sequence[str]) -> dict[str, Any]:
        return await self._client.details(names)

    async def connection(self, _owner: str, name: str) -> dict[str, Any]:
        return await self._client.connection(name)

    async def close(self) -> None:
        await self._client.close()


class OwnCatalogue:
    """The rows of this installation, with the rights of the key's owner."""

    def __init__(self) -> None:
        # Its own: thousands of summaries must not hold up the registry.
        self._thread = DatabaseThread(
            "catalogue",
            lambda: DocumentServerUnavailableError(
                message(
                    "catalogue.unreadable", "the data catalogue cannot be read now; try again later"
                )
            ),
        )

    async def summaries(self, owner: str, tag: str | None) -> dict[str, Any]:
        return await self._thread.call(tell_summaries, owner, tag)

    async def tags(self, owner: str) -> dict[str, Any]:
        return await self._thread.call(tell_tags, owner)

    async def details(self, owner: str, names: Sequence[str]) -> dict[str, Any]:
        return await self._thread.call(tell_details, owner, names)

    async def connection(self, owner: str, name: str) -> dict[str, Any]:
        return await self._thread.call(tell_connection, owner, name)

    async def close(self) -> None:
        await self._thread.close()


def open_catalogue() -> CatalogueReader:
    """The catalogue that DOCUMENT_SERVER_URL chooses. Raises ConfigurationError for no address."""
    if not settings.DOCUMENT_SERVER_URL:
        return OwnCatalogue()
    server = DocumentServerSettings(
        url=settings.DOCUMENT_SERVER_URL, token=settings.DOCUMENT_SERVER_TOKEN
    )
    return RemoteCatalogue(DocumentServerClient(server))
