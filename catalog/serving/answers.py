"""The answers that agents get over MCP and the REST API, with the rights of the key's owner."""

from collections.abc import Sequence
from typing import Any

from catalog.models import ACTIVE_STATES, CatalogScan, CatalogTable, ScanState
from catalog.serving.entries import read_entries, read_locations, read_summaries, read_tags
from core.catalogue.connection_code import connection_info
from core.catalogue.details import details_answer
from core.catalogue.overview import summaries_answer, tags_answer
from core.errors import IndexNotReadyError, UnknownTableError
from core.messages import message


def tell_summaries(owner: str, tag: str | None = None) -> dict[str, Any]:
    """The first stage: all tables, or those of a tag; '' and blanks are no tag.

    Raises IndexNotReadyError before the first scan, as all of these do.
    """
    overview = read_summaries(owner, (tag or "").strip() or None)
    if not overview.summaries:
        _require_scan()
    return summaries_answer(overview.summaries, overview.known_tags, overview.tag)


def tell_tags(owner: str) -> dict[str, Any]:
    """All tags with the number of their tables."""
    tags = read_tags(owner)
    if not tags:
        _require_scan()
    return tags_answer(tags)


def tell_details(owner: str, names: Sequence[str]) -> dict[str, Any]:
    """The second stage: all about these tables. Raises UnknownTableError where none of them is known."""
    details = read_entries(owner, names)
    if not details.entries:
        _require_scan()
    return details_answer(details.entries, details.not_found)


def tell_connection(owner: str, name: str) -> dict[str, Any]:
    """How code reaches the table's database. Raises UnknownTableError."""
    details = read_locations(owner, [name])
    if not details.entries:
        _require_scan()
        # Raises for a table that is unknown; another one has gone since it was found.
        details_answer([], details.not_found)
        raise UnknownTableError(
            message(
                "catalogue.table_left",
                "this table left the catalogue meanwhile; list the tables again",
            )
        )
    return connection_info(details.entries[0])


def _require_scan() -> None:
    """An empty catalogue tells nothing of the data before a scan has come to its end."""
    if CatalogTable.objects.exists() or CatalogScan.objects.filter(state=ScanState.DONE).exists():
        return
    active = CatalogScan.objects.filter(state__in=ACTIVE_STATES)
    if active.exists():
        raise IndexNotReadyError(
            message(
                "catalogue.being_built",
                "the data catalogue is being built; try again in a few seconds",
            )
        )
    raise IndexNotReadyError(
        message(
            "catalogue.never_scanned",
            "the data catalogue is empty because no data source was scanned yet; try again in a few"
            " seconds, or ask the administrator for a scan",
        )
    )
