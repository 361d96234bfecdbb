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
from catalog.sources.connections import make_default_row
from catalog.sources.environment import variable_name
from catalog.sources.gates import visible_sources
from catalog.sources.states import ReadOnlyProof, SourceState, Standing, read_proof, read_state

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
        return self.source.is_default

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


def _make_cards(user: User, sources: Sequence[DataSource]) -> list[SourceCard]:
    present = CatalogTable.objects.filter(gone_at=None).order_by()
    tables = dict(present.values_list("source").annotate(count=Count("pk")))
    over = CatalogScan.objects.exclude(state__in=ACTIVE_STATES)
    last = over.order_by("source_id", "-pk").distinct("source_id").defer("warnings")
    scans = {scan.source_id: scan for scan in last}
    counts = [(use, use.count()) for use in USES.values()]
    cards = []
    for source in sources:
        check = find_check(source)
        if source.host or not source.is_default:
            state = read_state(source)
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
