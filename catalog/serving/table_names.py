"""The names by which agents ask for tables, and the tables that a name means."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from catalog.models import CatalogTable
from catalog.rights import sources_open_to
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.near_names import find_near

# PostgreSQL's names have 63 bytes at most; a data source, a schema and a table with quotes need less.
MAX_NAME_CHARACTERS = 1_000
MAX_DOTS = 16
PLACE_FIELDS = ("pk", "source__name", "schema", "name")


class TablePlace(NamedTuple):
    """Where a table is; `source` is None for the default data source."""

    id: int
    source: str | None
    schema: str
    name: str


def read_agent_names() -> dict[int, str]:
    """By id, the name of every table that is served; one query.

    They are the same for everybody, so a table that one may not see can lengthen another's name.
    """
    rows = CatalogTable.objects.served().order_by().values_list(*PLACE_FIELDS)
    return agent_names(TablePlace(*row) for row in rows)


def agent_names(places: Iterable[TablePlace]) -> dict[int, str]:
    """By id, the shortest name that no other of these tables could be meant by.

    It is the bare name, or that with its schema, or that with data source and schema. Parts are quoted as in SQL only where dots inside them would make two of the last kind alike.
    """
    listed = list(places)
    bare = Counter(place.name for place in listed)
    # Nearly all: without a dot, a name can be meant as a bare one only.
    plain = {p.id: p.name for p in listed if bare[p.name] == 1 and "." not in p.name}
    forms = {place.id: place_forms(place) for place in listed if place.id not in plain}
    claims = Counter(form for names in forms.values() for form in set(names))
    return plain | {
        key: next((form for form in names if claims[form] == 1), names[-1])
        for key, names in forms.items()
    }


def place_forms(place: TablePlace) -> list[str]:
    """What may be meant by: shortest first."""
    qualified = [part for part in (place.schema, place.name) if part]
    full = [place.source or DEFAULT_SOURCE_NAME, *qualified]
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in full)
    return [place.name, ".".join(qualified), ".".join(full), quoted]


class Candidate(NamedTuple):
    """A table that a name may mean."""

    place: TablePlace
    display_name: str


@dataclass(slots=True)
class FoundTables:
    """Ids of the tables that were asked for, in that order and once each.

    `not_found` gives, by each name that means no table or several, what may have been meant.
    """

    ids: list[int] = field(default_factory=list)
    not_found: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the agents of one user may see: the default data source and those with these ids."""

    source_ids: tuple[int, ...]

    def tables(self) -> "QuerySet[CatalogTable]":
        """The tables, in no order."""
        return CatalogTable.objects.served().filter(self._is_open("source")).order_by()

    def of_relation(self, end: str) -> Q:
        """Relations of which the table at this end, `table` or `target`, is one of them."""
        served = Q(**{f"{end}__gone_at": None, f"{end}__is_hidden": False})
        return served & self._is_open(f"{end}__source")

    def _is_open(self, source: str) -> Q:
        return Q(**{source: None}) | Q(**{f"{source}__in": self.source_ids})


def sight_of(owner: str) -> Sight:
    """What agents of this user may see; '' is a caller without a user. One query."""
    return Sight(tuple(sources_open_to(owner).order_by().values_list("pk", flat=True)))


def find_tables(sight: Sight, names: Sequence[str]) -> FoundTables:
    """The tables of these names; where one means several, none of them is meant.

    A name may be bare, with schema, with data source and schema, in another case, or a display name.
    """
    sound = [name for name in names if _is_storable(name)]
    bare = {form.lower() for name in sound for form in _suffixes(name)}
    tables = sight.tables().annotate(lowered=Lower("name"))
    candidates = _read_candidates(tables.filter(Q(lowered__in=bare) | Q(display_name__in=sound)))
    found = FoundTables()
    for name in dict.fromkeys(names):
        meant = _find_meant(name, candidates)
        if len(meant) == 1:
            found.ids.append(meant[0].place.id)
        else:
            found.not_found[name] = [place_forms(table.place)[2] for table in meant]
    found.ids = list(dict.fromkeys(found.ids))
    if unknown := [name for name, near in found.not_found.items() if not near]:
        candidates = _read_candidates(sight.tables())
        named = agent_names(table.place for table in candidates)
        shown = {named[table.place.id]: table.display_name for table in candidates}
        for name in unknown:
            found.not_found[name] = find_near(name, list(shown), display_names=shown)
    return found


def name_tables(places: Sequence[TablePlace]) -> dict[int, str]:
    """The names under which agents ask for these tables; one query, however many others there are."""
    bare = {suffix for place in places for suffix in _suffixes(place_forms(place)[2])}
    rivals = CatalogTable.objects.served().filter(name__in=bare).order_by()
    found = [TablePlace(*row) for row in rivals.values_list(*PLACE_FIELDS)]
    # Those asked for may have left the catalogue since they were read.
    return agent_names({place.id: place for place in (*places, *found)}.values())


def _read_candidates(tables: "QuerySet[CatalogTable]") -> list[Candidate]:
    return [
        Candidate(TablePlace(*place), display_name)
        for *place, display_name in tables.values_list(*PLACE_FIELDS, "display_name")
    ]


def _find_meant(name: str, candidates: list[Candidate]) -> list[Candidate]:
    """What the first rule that finds anything finds, by full name."""
    rules: tuple[Callable[[Candidate], bool], ...] = (
        lambda table: name in _names_of(table.place),
        lambda table: name.casefold() in map(str.casefold, _names_of(table.place)),
        lambda table: name == table.display_name,
    )
    found = (list(filter(rule, candidates)) for rule in rules)
    tables = next(filter(None, found), [])
    # The bare name of one table may be written like the full name of another.
    named = agent_names(table.place for table in tables)
    exact = [table for table in tables if named[table.place.id] == name]
    return exact or sorted(tables, key=lambda table: place_forms(table.place)[2])


def _names_of(place: TablePlace) -> list[str]:
    return [*place_forms(place), place_forms(place._replace(schema=""))[2]]


def _suffixes(name: str) -> list[str]:
    """The name, what follows each of its first dots and its last part unquoted: one is the bare name."""
    dots = (index for index, character in enumerate(name) if character == ".")
    suffixes = [name, *(name[index + 1 :] for index in islice(dots, MAX_DOTS))]
    if name.endswith('"'):
        _, _, last = name.removesuffix('"').rpartition('."')
        suffixes.append(last.replace('""', '"'))
    return suffixes


def _is_storable(name: str) -> bool:
    """Whether a table can be called that: PostgreSQL's text holds no NUL and no lone surrogate."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name and len(name) <= MAX_NAME_CHARACTERS
