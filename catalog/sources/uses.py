"""What hangs on data sources; apps above this one add theirs to USES when they start."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.functional import Promise

from catalog.models import DataSource

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
