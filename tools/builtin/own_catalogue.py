"""The catalogue of this installation as the catalogue tools read it, and the choice of whose they read."""

import logging
from collections.abc import Callable, Sequence
from typing import ParamSpec

from django.conf import settings
from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from catalog.serving.answers import tell_connection, tell_details, tell_summaries, tell_tags
from core.errors import DocumentServerUnavailableError
from core.messages import message
from gateways.document_server.client import DocumentServerClient, DocumentServerSettings
from tools.builtin.catalogue import CatalogueReader, RemoteCatalogue, Told

logger = logging.getLogger(__name__)

P = ParamSpec("P")


class OwnCatalogue:
    """The rows of this installation, with the rights of the key's owner."""

    def __init__(self) -> None:
        # Its own: thousands of summaries must not hold up the registry.
        self._thread = DatabaseThread("catalogue")

    async def summaries(self, owner: str, tag: str | None) -> Told:
        return await self._tell(tell_summaries, owner, tag)

    async def tags(self, owner: str) -> Told:
        return await self._tell(tell_tags, owner)

    async def details(self, owner: str, names: Sequence[str]) -> Told:
        return await self._tell(tell_details, owner, names)

    async def connection(self, owner: str, name: str) -> Told:
        return await self._tell(tell_connection, owner, name)

    async def close(self) -> None:
        await self._thread.close()

    async def _tell(self, tell: Callable[P, Told], *args: P.args, **kwargs: P.kwargs) -> Told:
        try:
            return await self._thread.call(tell, *args, **kwargs)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("the catalogue cannot be read: %s", type(error).__name__)
            raise DocumentServerUnavailableError(
                message(
                    "catalogue.unreadable", "the data catalogue cannot be read now; try again later"
                )
            ) from error


def open_catalogue() -> CatalogueReader:
    """The catalogue that DOCUMENT_SERVER_URL chooses. Raises ConfigurationError for no address."""
    if not settings.DOCUMENT_SERVER_URL:
        return OwnCatalogue()
    reached = DocumentServerSettings(
        url=settings.DOCUMENT_SERVER_URL, token=settings.DOCUMENT_SERVER_TOKEN
    )
    return RemoteCatalogue(DocumentServerClient(reached))
