"""What agents are told of the catalogue, over MCP and over the REST API, with the rights of the key's owner."""

from collections.abc import Sequence
from typing import Any

from catalog.serving.entries import read_entries, read_locations, read_summaries, read_tags
from core.catalogue.connection_code import connection_info
from core.catalogue.details import details_answer
from core.catalogue.overview import summaries_answer, tags_answer
from core.errors import UnknownTableError


def tell_summaries(owner: str, tag: str | None = None) -> dict[str, Any]:
    """The first stage: all tables, or those of a tag; '' and blanks are no tag."""
    wanted = (tag or "").strip() or None
    overview = read_summaries(owner, wanted)
    return summaries_answer(overview.summaries, overview.known_tags, overview.tag)


def tell_tags(owner: str) -> dict[str, Any]:
    """All tags with the number of their tables."""
    return tags_answer(read_tags(owner))


def tell_details(owner: str, names: Sequence[str]) -> dict[str, Any]:
    """The second stage: all about these tables. Raises UnknownTableError where none of them is known."""
    details = read_entries(owner, names)
    return details_answer(details.entries, details.not_found)


def tell_connection(owner: str, name: str) -> dict[str, Any]:
    """How code reaches the table's database. Raises UnknownTableError."""
    details = read_locations(owner, [name])
    if not details.entries:
        details_answer(details.entries, details.not_found)
        raise UnknownTableError("this table left the catalogue meanwhile; list the tables again")
    return connection_info(details.entries[0])
