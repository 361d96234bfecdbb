"""The names under which agents ask for tables: as short as they can be told apart by."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from catalog.models import CatalogTable
from core.catalogue.entries import DEFAULT_SOURCE_NAME


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
    fields = ("pk", "source__name", "schema", "name")
    rows = CatalogTable.objects.served().order_by().values_list(*fields)
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
    claims = Counter(form for told in forms.values() for form in set(told))
    return plain | {
        key: next((form for form in told if claims[form] == 1), told[-1])
        for key, told in forms.items()
    }


def place_forms(place: TablePlace) -> list[str]:
    """What may be meant by: shortest first."""
    qualified = [part for part in (place.schema, place.name) if part]
    full = [place.source or DEFAULT_SOURCE_NAME, *qualified]
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in full)
    return [place.name, ".".join(qualified), ".".join(full), quoted]
