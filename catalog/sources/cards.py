"""The list of data sources: what the card of each says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from catalog.models import ACTIVE_STATES, CatalogScan, CatalogTable, DataSource
from catalog.sources.checking import find_check
from catalog.sources.environment import variable_name
from catalog.sources.gates import visible_sources
from catalog.sources.settings import default_settings
from catalog.sources.states import ReadOnlyProof, SourceState, Standing, read_proof, read_state
from core.catalogue.entries import DEFAULT_SOURCE_NAME

SHOWN_USES = 100


@dataclass(frozen=True, slots=True)
class SourceUser:
    """One thing that needs a data source; `address` is '' where the reader may not see it."""

    name: str
    address: str = ""
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class SourceUse:
    """A kind of things on data sources.

    `count` gives their number by the id of the data source, None for the default; `read` at most
    SHOWN_USES of them by name; `address` leads to a list of those on the data source of that name,
    '' where the reader may not see it.
    """

    label: str | Promise
    count: Callable[[], Mapping[int | None, int]]
    read: Callable[[User, DataSource | None], Sequence[SourceUser]]
    address: Callable[[User, str], str]


USES: dict[str, SourceUse] = {}


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


def read_cards(user: User) -> list[SourceCard]:
    """The default data source and those that the user may see; the same number of queries for any."""
    return _make_cards(user, [make_default_row(), *visible_sources(user).order_by("name")])


def read_card(user: User, source: DataSource) -> SourceCard:
    """The card of one, as `read_cards`."""
    [card] = _make_cards(user, [source])
    return card


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
        prepares_statements=found.prepares_statements,
        row_limit=found.row_limit,
        byte_limit=found.byte_limit,
        cell_limit=found.cell_limit,
        timeout_ms=found.statement_timeout_ms,
        lock_timeout_ms=found.lock_timeout_ms,
        plan_cost_limit=found.plan_cost_limit,
        checks_cost_at_call=found.checks_cost_at_call,
    )


def _make_cards(user: User, sources: Sequence[DataSource]) -> list[SourceCard]:
    present = CatalogTable.objects.filter(gone_at=None).order_by()
    tables = dict(present.values_list("source").annotate(count=Count("pk")))
    over = CatalogScan.objects.exclude(state__in=ACTIVE_STATES)
    last = over.order_by("source_id", "-pk").distinct("source_id").defer("warnings")
    scans = {scan.source_id: scan for scan in last}
    counts = [(use, use.count()) for use in USES.values()]
    cards = []
    for source in sources:
        check = find_check(source) if source.pk else None
        if source.pk:
            state = read_state(source)
        elif source.host:
            state = SourceState(Standing.UNKNOWN, _("set by variables"))
        else:
            text = _("Set the POSTGRESQL_DB_* variables to have a default data source.")
            state = SourceState(Standing.UNKNOWN, _("not set"), text)
        cards.append(
            SourceCard(
                source=source,
                address=reverse("source", args=[source.name]),
                state=state,
                proof=read_proof(check),
                checked_at=check.checked_at if check else None,
                table_count=tables.get(source.pk, 0),
                last_scan=scans.get(source.pk),
                uses=[
                    UseCount(use.label, count.get(source.pk, 0), use.address(user, source.name))
                    for use, count in counts
                ],
            )
        )
    return cards
