"""Remembers what the server said about statements, the ones used last, for a minute."""

from collections import OrderedDict
from time import monotonic

from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.postgres.describe import Description

# `SELECT *` may have got another column meanwhile, which no error would tell.
LIFETIME_S = 60.0
COUNT_LIMIT = 1_000

_Types = tuple[ParameterType, ...]
_Key = tuple[str, _Types, frozenset[int]]


class DescriptionCache:
    """Descriptions by SQL, declared types and the indexes of what is sent as numeric."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[Description, float]] = OrderedDict()

    def find(
        self, statement: CompiledStatement, types: _Types, numeric: frozenset[int]
    ) -> Description | None:
        """The description, unless it is unknown or too old."""
        key = (statement.sql, types, numeric)
        description, until = self._kept.get(key, (None, 0.0))
        if description is None or until < monotonic():
            return None
        self._kept.move_to_end(key)
        return description

    def keep(
        self,
        statement: CompiledStatement,
        types: _Types,
        numeric: frozenset[int],
        description: Description,
    ) -> None:
        """Remember a description, and forget the one that was not used for longest."""
        self._kept[statement.sql, types, numeric] = (description, monotonic() + LIFETIME_S)
        if len(self._kept) > COUNT_LIMIT:
            self._kept.popitem(last=False)

    def forget(self, statement: CompiledStatement) -> None:
        """Forget all that is known of a statement."""
        for key in [key for key in self._kept if key[0] == statement.sql]:
            del self._kept[key]
