"""What the catalogue tools read, and another installation's catalogue as that."""

from collections.abc import Sequence
from typing import Any, Protocol

from gateways.document_server.client import DocumentServerClient

Told = dict[str, Any]


class CatalogueReader(Protocol):
    """The four answers; `owner` is the user name of the API key's owner, '' where there is none.

    All raise DocumentServerUnavailableError while the catalogue is away.
    """

    async def summaries(self, owner: str, tag: str | None) -> Told:
        """The first stage: all tables, or those of a tag."""

    async def tags(self, owner: str) -> Told:
        """All tags with the number of their tables."""

    async def details(self, owner: str, names: Sequence[str]) -> Told:
        """The second stage: all about the named tables. Raises UnknownTableError for none known."""

    async def connection(self, owner: str, name: str) -> Told:
        """How code reaches the table's database. Raises UnknownTableError."""

    async def close(self) -> None:
        """Close what it holds open."""


class RemoteCatalogue:
    """Another installation's catalogue, with the rights of the owner of DOCUMENT_SERVER_TOKEN for everybody."""

    def __init__(self, client: DocumentServerClient) -> None:
        self._client = client

    async def summaries(self, _owner: str, tag: str | None) -> Told:
        return await self._client.summaries(tag)

    async def tags(self, _owner: str) -> Told:
        return await self._client.tags()

    async def details(self, _owner: str, names: Sequence[str]) -> Told:
        return await self._client.details(names)

    async def connection(self, _owner: str, name: str) -> Told:
        return await self._client.connection(name)

    async def close(self) -> None:
        await self._client.close()
