"""The list of data sources: what the card of each says."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from catalog.models import CatalogScan, CatalogTable, DataSource, ScanState
from catalog.sources.environment import variable_name
from catalog.sources.gates import visible_sources
from catalog.sources.settings import default_settings
from catalog.sources.states import (
    ReadOnlyProof,
    SourceState,
    Standing,
    find_check,
    read_proof,
    read_state,
)
from catalog.sources.uses import USES
from core.catalogue.entries import DEFAULT_SOURCE_NAME

# Of the database that needs no row.
DEFAULT_VARIABLES = tuple(
    f"POSTGRESQL_DB_{name}" for name in ("HOST", "PORT", "NAME", "USER", "PASS")
)


@dataclass(frozen=True, slots=True)
class UseCount:
    """How many things of a kind are on a data source, and where they are listed."""

    label: str | Promise
    count: int
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCard:
    """A data source with all that its card shows; the default one's row is not saved."""

    source: DataSource
    address: str
    state: SourceState
    proof: ReadOnlyProof
    checked_at: datetime | None
    table_count: int
    last_scan: CatalogScan | None
    uses: list[UseCount]

    @property
    def is_default(self) -> bool:
        return self.source.pk is None

    @property
    def variable(self) -> str:
        """The variable that defines it, if one does."""
        return variable_name(self.source.name)


@dataclass(frozen=True, slots=True)
class _Figures:
    """What is known of all data sources, by their ids; None is the default."""

    tables: Mapping[int | None, int]
    scans: Mapping[int | None, CatalogScan]
    uses: Mapping[str, Mapping[int | None, int]]


def read_cards(user: User) -> list[SourceCard]:
    """The default data source and those that the user may see; the same number of queries for any."""
    figures = _read_figures()
    rows = [make_default_row(), *visible_sources(user).order_by("name")]
    return [_make_card(user, row, figures) for row in rows]


def read_card(user: User, source: DataSource) -> SourceCard:
    """The card of one, as `read_cards`."""
    return _make_card(user, source, _read_figures())


def make_default_row() -> DataSource:
    """The database of the POSTGRESQL_DB_* variables as a row to show, which is never saved."""
    found = default_settings()
    if found is None:
        return DataSource(name=DEFAULT_SOURCE_NAME)
    return DataSource(
        name=DEFAULT_SOURCE_NAME,
        host=found.host,
        port=found.port,
        database=found.database,
        username=found.user,
        search_path=found.search_path,
        pool_size=found.pool_size,
        max_wait_ms=found.max_wait_ms,
        row_limit=found.row_limit,
        byte_limit=found.byte_limit,
        cell_limit=found.cell_limit,
        timeout_ms=found.statement_timeout_ms,
        lock_timeout_ms=found.lock_timeout_ms,
    )


def _read_figures() -> _Figures:
    present = CatalogTable.objects.filter(gone_at=None).order_by()
    over = CatalogScan.objects.exclude(state__in=[ScanState.QUEUED, ScanState.RUNNING])
    last = over.order_by("source_id", "-pk").distinct("source_id").defer("warnings")
    return _Figures(
        tables=dict(present.values_list("source").annotate(count=Count("pk"))),
        scans={scan.source_id: scan for scan in last},
        uses={name: use.count() for name, use in USES.items()},
    )


def _make_card(user: User, row: DataSource, figures: _Figures) -> SourceCard:
    check = find_check(row) if row.pk else None
    return SourceCard(
        source=row,
        address=reverse("source", args=[row.name]),
        state=read_state(row) if row.pk else _read_default_state(row),
        proof=read_proof(check),
        checked_at=check.checked_at if check else None,
        table_count=figures.tables.get(row.pk, 0),
        last_scan=figures.scans.get(row.pk),
        uses=[
            UseCount(use.label, figures.uses[name].get(row.pk, 0), use.address(user, row.name))
            for name, use in USES.items()
        ],
    )


def _read_default_state(row: DataSource) -> SourceState:
    if row.host:
        return SourceState(Standing.UNKNOWN, _("set by variables"))
    text = _("Set the POSTGRESQL_DB_* variables to have a default data source.")
    return SourceState(Standing.UNKNOWN, _("not set"), text)
