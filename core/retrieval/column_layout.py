"""The tables of columns that are searched: which refer to each other, and what that says of a column."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.retrieval.column_roles import ROLES, QuestionNeeds, Role
from core.retrieval.column_texts import ColumnDocument

# How much a column that refers to another table loses, and which share of its score the names there gain.
REFERRING_PENALTY = 0.6
REFERRED_WEIGHT = 0.8
# What amounts and dates of a table that has both gain where it is asked what was earned.
LEDGER_WEIGHT = 0.6
# Of so many tables that were found first the ways from one to another are looked for, over two others.
_JOINED_TABLES = 3
_MOST_STEPS = 3
_MOST_WAYS = 1_000


class ColumnLayout:
    """The rows of one state of an index: their tables, their order by path, the keys among them."""

    def __init__(
        self,
        documents: Mapping[int, ColumnDocument],
        roles: Mapping[int, Collection[Role]],
        count: int,
    ) -> None:
        """`count` is one more than the highest row that there ever was."""
        self.documents = dict(documents)
        self.rows = np.array(sorted(self.documents), dtype=np.intp)
        self.order = np.zeros(count, dtype=np.int64)
        self.groups = np.zeros(count, dtype=np.int64)
        self._keys: dict[int, list[int]] = {}
        # The keys that join two tables, by the tables.
        self._joins: dict[int, dict[int, list[int]]] = {}
        groups: dict[str, int] = {}
        for row in self.rows.tolist():
            document = self.documents[row]
            # A document of no table is a table of its own.
            name = document.table.name or f"\n{document.identity}"
            group = self.groups[row] = groups.setdefault(name, len(groups))
            if document.is_key:
                self._keys.setdefault(group, []).append(row)
        for row, document in self.documents.items():
            group = int(self.groups[row])
            for target in {groups[name] for name in document.refers_to if name in groups} - {group}:
                self._joins.setdefault(group, {}).setdefault(target, []).append(row)
                self._joins.setdefault(target, {}).setdefault(group, []).append(row)
        self._mark(roles, count)
        paths = {row: (document.path, document.key) for row, document in self.documents.items()}
        by_path = sorted(paths, key=paths.__getitem__)
        self.order[by_path] = np.arange(len(by_path))

    def gain(
        self, rows: NDArray[np.intp], scores: NDArray[np.float64], needs: QuestionNeeds
    ) -> NDArray[np.float64]:
        """What these rows, of these scores, gain or lose by what their tables are to each other.

        A column that refers to another table is seldom wanted itself, since keys come with the
        answer: it speaks for what that table's things are called, and for their key if they are
        counted. What was earned is in tables that hold both amounts and dates.
        """
        of_rows = np.zeros(len(self.groups))
        of_rows[rows] = scores
        spoken = np.zeros(self.groups.max(initial=-1) + 1)
        np.maximum.at(spoken, self._referred, of_rows[self._referring])
        called = self._names | self._counted if needs.counts else self._names
        gained = REFERRED_WEIGHT * spoken[self.groups] * called
        gained[self._referring] -= REFERRING_PENALTY
        if needs.earned:
            gained += LEDGER_WEIGHT * self._ledger
        found: NDArray[np.float64] = gained[rows]
        return found

    def keys_beside(self, ranked: Sequence[int]) -> Iterator[ColumnDocument]:
        """The keys that join the tables of these rows, and their own, that are not among them."""
        groups = list(dict.fromkeys(int(self.groups[row]) for row in ranked))
        rows = [row for group in groups for row in self._keys.get(group, ())]
        for row in dict.fromkeys([*self._bridges(groups[:_JOINED_TABLES]), *rows]):
            if row not in ranked:
                yield self.documents[row]

    def _mark(self, roles: Mapping[int, Collection[Role]], count: int) -> None:
        """Note which rows refer to other tables, and which have the roles that `gain` asks for."""
        referring = [
            (row, other)
            for group, others in self._joins.items()
            for other, rows in others.items()
            for row in rows
            if self.groups[row] == group
        ]
        pairs = np.array(referring, dtype=np.intp).reshape(-1, 2)
        self._referring, self._referred = pairs[:, 0], pairs[:, 1]
        marks = {role: np.zeros(count, dtype=np.bool_) for role in ROLES}
        for row, found in roles.items():
            for role in found:
                marks[role][row] = True
        self._names, self._counted = marks["name"], marks["key"]
        self._counted[self._referring] = False
        has_both = set(self.groups[marks["money"]]) & set(self.groups[marks["date"]])
        of_both = np.isin(self.groups, list(has_both))
        self._ledger = of_both & (marks["money"] | marks["date"])

    def _bridges(self, groups: Sequence[int]) -> Iterator[int]:
        """The keys on the shortest way from each table to one before it, if it leads over others."""
        for place, group in enumerate(groups[1:], start=1):
            known, ways = set(groups[:place]), [[group]]
            for _step in range(_MOST_STEPS):
                ways = [
                    [*way, other]
                    for way in ways
                    for other in self._joins.get(way[-1], ())
                    if other not in way
                ][:_MOST_WAYS]
                if found := next((way for way in ways if way[-1] in known), None):
                    if len(found) > 2:
                        for first, second in pairwise(found):
                            yield from self._joins[first][second]
                    break
