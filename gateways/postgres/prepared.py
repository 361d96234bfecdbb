"""The statements that one connection has the server keep parsed, and their names."""

from collections import OrderedDict
from collections.abc import Sequence
from secrets import token_hex

from psycopg.pq.abc import PGconn

# After each query the server walks through all names to see that none is foreign: 0.15 µs each, and
# from 100 on it takes longer than parsing would.
MOST_PREPARED = 50


class PreparedStatements:
    """Statements by SQL and types of their parameters; those used last are kept.

    Puts into the pipeline what runs them, and before that what the server does not know yet. Until
    `confirm`, nothing is known of what was sent as new.
    """

    def __init__(self, pgconn: PGconn) -> None:
        self._pgconn = pgconn
        self._names: OrderedDict[tuple[bytes, Sequence[int]], bytes] = OrderedDict()
        self._new: list[tuple[bytes, Sequence[int]]] = []
        self._unused: list[bytes] = []
        # No name is used twice, and behind a pooler none is another connection's.
        self._prefix = f"toolbuilder_{token_hex(4)}_".encode()
        self._count = 0

    def close_unused(self) -> int:
        """Have the server drop the names that are used no more; the number of commands sent."""
        if not self._unused:
            return 0
        closed, self._unused = self._unused, []
        for name in closed:
            self._pgconn.send_close_prepared(name)
        return len(closed)

    def send(
        self, sql: bytes, values: Sequence[bytes | None] = (), oids: Sequence[int] = ()
    ) -> int:
        """Run a statement, parsed first where it is new; the number of commands sent."""
        key = (sql, oids)
        if (name := self._names.get(key)) is not None:
            self._names.move_to_end(key)
            self._pgconn.send_query_prepared(name, values)
            return 1
        if len(self._names) >= MOST_PREPARED:
            self._unused.append(self._names.popitem(last=False)[1])
        self._count += 1
        name = self._names[key] = b"%b%d" % (self._prefix, self._count)
        self._new.append(key)
        self._pgconn.send_prepare(name, sql, oids)
        self._pgconn.send_query_prepared(name, values)
        return 2

    def confirm(self) -> None:
        """All that was sent was done."""
        self._new.clear()

    def forget(self, *, is_all: bool) -> None:
        """Have what was sent as new, or everything, parsed again when it is run next."""
        for key in list(self._names) if is_all else self._new:
            if (name := self._names.pop(key, None)) is not None:
                self._unused.append(name)
        self._new.clear()
