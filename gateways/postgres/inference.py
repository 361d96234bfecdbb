"""Finds the type of each parameter: the server's own where it is sure, else the declared one.

A text compared with a uuid column has to be sent as a uuid, which only the server knows; a number
that stands alone has to be sent as a number, which only the declaration knows.
"""

import re
import sys
from collections.abc import Sequence

from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.postgres.exchange import ServerError, Shape
from gateways.postgres.parameters import (
    DECLARED_OIDS,
    NUMERIC_LIST_OID,
    NUMERIC_OID,
    UNKNOWN_OID,
    declared_oid,
    is_natural,
)
from gateways.postgres.wire import WireConnection

# A parameter's type could not be found at all, or not at this use; the message names the parameter.
_UNFOUND, _UNFOUND_HERE = "42P18", "42P08"
# Several operators or functions would do, or none for a parameter whose type was guessed.
_AMBIGUOUS = frozenset({"42725", "42883", "42804", "42846"})
_NUMBERED = re.compile(r"\$([1-9][0-9]*)")


async def infer_shape(
    connection: WireConnection,
    statement: CompiledStatement,
    declared: Sequence[ParameterType | None],
    numeric: frozenset[int] = frozenset(),
) -> Shape:
    """Parameter types and columns; the parameters at the indexes `numeric` are sent as numeric.

    Raises ServerError with the fault that no declared type can mend.
    """
    inference = _Inference(connection, statement.sql, declared)
    for index in numeric:
        kind = declared[index]
        is_list = kind is not None and kind.is_list
        inference.oids[index] = NUMERIC_LIST_OID if is_list else NUMERIC_OID
    inference.statement = statement
    return await inference.keep_sense(await inference.resolve())


class _Inference:
    """`oids` are the types that the server is given; 0 where it finds the type itself.

    `statement` is set where a parameter may be used more than once.
    """

    def __init__(
        self, connection: WireConnection, sql: str, declared: Sequence[ParameterType | None]
    ) -> None:
        self.oids = [UNKNOWN_OID] * len(declared)
        self.statement: CompiledStatement | None = None
        self._connection = connection
        self._sql = sql
        self._declared = declared
        self._oids_by_use: dict[int, int] | None = None

    async def resolve(self) -> Shape:
        """Name the type of one parameter after the other until the server understands all."""
        outcome = await self._attempt()
        while isinstance(outcome, ServerError):
            outcome = await self._mend(outcome)
        return outcome

    async def keep_sense(self, shape: Shape) -> Shape:
        """Name the declared type where the server's would change what the value means."""
        for index, kind in enumerate(self._declared):
            if kind is None or self.oids[index] or is_natural(kind, shape.parameter_oids[index]):
                continue
            self.oids[index] = DECLARED_OIDS[kind]
            outcome = await self._attempt()
            if isinstance(outcome, Shape):
                shape = outcome
            else:
                self.oids[index] = UNKNOWN_OID
        return shape

    async def _attempt(self) -> Shape | ServerError:
        try:
            return await self._connection.describe(self._sql, self.oids)
        except ServerError as error:
            return error

    async def _mend(self, error: ServerError) -> Shape | ServerError:
        """What the server says once one more type is named, or all; raises the error if none helps."""
        for index, oid in await self._candidates(error):
            self.oids[index] = oid
            outcome = await self._attempt()
            # A type that is named is never missed again: what is missed now is another parameter's.
            if (
                isinstance(outcome, Shape)
                or outcome.sqlstate == _UNFOUND
                or _reach(outcome) > _reach(error)
            ):
                return outcome
            self.oids[index] = UNKNOWN_OID
        is_about_types = error.sqlstate in _AMBIGUOUS | {_UNFOUND, _UNFOUND_HERE}
        if UNKNOWN_OID not in self.oids or not is_about_types:
            raise error
        self.oids = [
            oid or declared_oid(kind) for oid, kind in zip(self.oids, self._declared, strict=True)
        ]
        outcome = await self._attempt()
        if isinstance(outcome, Shape):
            return outcome
        raise max(outcome, error, key=_reach)

    async def _candidates(self, error: ServerError) -> list[tuple[int, int]]:
        """Pairs of a parameter's index and the type to try for it."""
        unknown = [index for index, oid in enumerate(self.oids) if not oid]
        if error.sqlstate in _AMBIGUOUS:
            return [(index, declared_oid(self._declared[index])) for index in unknown]
        named = _NUMBERED.search(error.message)
        if error.sqlstate not in {_UNFOUND, _UNFOUND_HERE} or named is None:
            return []
        index = int(named[1]) - 1
        by_use = (await self._find_by_use()).get(index)
        return [(index, oid) for oid in (by_use, declared_oid(self._declared[index])) if oid]

    async def _find_by_use(self) -> dict[int, int]:
        """The types that the server finds when each use of a parameter may have its own.

        `:x IS NULL OR c = :x` cannot be typed at its first use, but its second one says it all.
        """
        if self._oids_by_use is not None:
            return self._oids_by_use
        self._oids_by_use = {}
        statement = self.statement
        if statement is None or len(statement.placeholders) <= len(self._declared):
            return self._oids_by_use
        numbers = {name: index for index, name in enumerate(statement.parameter_names)}
        indexes = [numbers[placeholder.name] for placeholder in statement.placeholders]
        declared = [self._declared[index] for index in indexes]
        uses = _Inference(self._connection, _number_each_use(statement), declared)
        try:
            shape = await uses.resolve()
        except ServerError:
            return self._oids_by_use
        found: dict[int, set[int]] = {}
        for index, named, oid in zip(indexes, uses.oids, shape.parameter_oids, strict=True):
            if not named:
                found.setdefault(index, set()).add(oid)
        self._oids_by_use = {index: oids.pop() for index, oids in found.items() if len(oids) == 1}
        return self._oids_by_use


def _number_each_use(statement: CompiledStatement) -> str:
    """The statement with a number of its own for each use of a parameter."""
    starts = {placeholder.start for placeholder in statement.placeholders}
    pieces: list[str] = []
    copied = number = 0
    for (start, source), (end, _) in zip(
        statement.anchors[1::2], statement.anchors[2::2], strict=True
    ):
        # The anchors mark other changes too.
        if source in starts:
            number += 1
            pieces += statement.sql[copied:start], f"${number}"
            copied = end
    return "".join(pieces) + statement.sql[copied:]


def _reach(error: ServerError) -> int:
    """How far the server came; it looks for types that were never found at the very end."""
    return sys.maxsize if error.sqlstate == _UNFOUND else error.position or 0
