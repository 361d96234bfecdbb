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
        self.table_count = len(groups)
        for row, document in self.documents.items():
            group = int(self.groups[row])
            for target in {groups[name] for name in document.refers_to if name in groups} - {group}:
                self._joins.setdefault(group, {}).setdefault(target, []).append(row)
                self._joins.setdefault(target, {}).setdefault(group, []).append(row)
        self._mark(roles)
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
        spoken = np.zeros(self.table_count)
        np.maximum.at(spoken, self._referred, of_rows[self._referring])
        called = self._called_or_counted if needs.counts else self._called
        gained = np.zeros(len(self.groups))
        gained[called] = REFERRED_WEIGHT * spoken[self.groups[called]]
        gained[self._referring] -= REFERRING_PENALTY
        if needs.earned:
            gained[self._ledger] += LEDGER_WEIGHT
        found: NDArray[np.float64] = gained[rows]
        return found

    def keys_beside(self, ranked: Sequence[int]) -> Iterator[ColumnDocument]:
        """The keys that join the tables of these rows, and their own, that are not among them."""
        groups = list(dict.fromkeys(int(self.groups[row]) for row in ranked))
        rows = [row for group in groups for row in self._keys.get(group, ())]
        for row in dict.fromkeys([*self._bridges(groups[:_JOINED_TABLES]), *rows]):
            if row not in ranked:
                yield self.documents[row]

    def _mark(self, roles: Mapping[int, Collection[Role]]) -> None:
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
        rows = {role: [row for row, own in roles.items() if role in own] for role in ROLES}
        counted = np.setdiff1d(np.array(rows["key"], dtype=np.intp), self._referring)
        self._called = np.array(rows["name"], dtype=np.intp)
        self._called_or_counted = np.union1d(self._called, counted)
        has_both = {int(self.groups[row]) for row in rows["money"]}
        has_both &= {int(self.groups[row]) for row in rows["date"]}
        amounts = {row for row in (*rows["money"], *rows["date"]) if self.groups[row] in has_both}
        self._ledger = np.array(sorted(amounts), dtype=np.intp)

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
