"""Statements that would take all time or memory there is."""

# ruff: noqa: S608 - SQL is what this module is about; nothing in it comes from outside.

from tests.hostile.running import STOPPED

_TOO_DEEP = "stack depth limit exceeded|memory exhausted"
_DOUBLING = "WITH RECURSIVE r(x) AS (SELECT repeat('x', 64) UNION ALL SELECT x || x FROM r)"

# By what the answer has to say; None for those that are answered within the caps.
BOMBS: dict[str, tuple[str, str | None]] = {
    "cross joins": (
        "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
        STOPPED,
    ),
    "endless recursion": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT count(*) FROM r",
        STOPPED,
    ),
    "doubling rows": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 1 FROM r, generate_series(1, 2))"
        " SELECT count(*) FROM r",
        STOPPED,
    ),
    "doubling text": (
        f"{_DOUBLING} SELECT sum(length(x)) FROM r",
        f"{STOPPED}|invalid memory|requested length too large|out of memory",
    ),
    "long series": ("SELECT sum(n) FROM generate_series(1, 1000000000000) AS n", STOPPED),
    "sort": ("SELECT n FROM generate_series(1, 1000000000) AS n ORDER BY md5(n::text)", STOPPED),
    "array_agg": (
        "SELECT cardinality(array_agg(n)) FROM generate_series(1, 1000000000) AS n",
        STOPPED,
    ),
    "string_agg": (
        "SELECT length(string_agg(repeat('x', 1000), '')) FROM generate_series(1, 100000000)",
        f"{STOPPED}|out of memory|string buffer",
    ),
    "view that waits": ("SELECT * FROM lingering", STOPPED),
    "function that waits": ("SELECT linger(30)", STOPPED),
    "operator that waits": ("SELECT <~> 30.0", STOPPED),
    "waiting for each row": ("SELECT linger(0.1) FROM generate_series(1, 1000)", STOPPED),
    "regex of many states": ("SELECT '' ~ repeat('(a{1,200}){1,200}', 5)", "too complex"),
    "regex that backtracks": (
        "SELECT count(*) FROM generate_series(1, 100000000) AS n"
        " WHERE n || repeat('a', 2000) ~ '(a|aa)*b'",
        STOPPED,
    ),
    "similar to": (
        "SELECT count(*) FROM generate_series(1, 100000000) AS n"
        " WHERE n || repeat('a', 2000) SIMILAR TO '%(a|aa)*b'",
        STOPPED,
    ),
    "huge repeat": (
        "SELECT length(repeat('x', 2000000000))",
        "requested length too large|invalid memory alloc",
    ),
    "huge cell": ("SELECT repeat('x', 20000000)", None),
    "huge array": (
        "SELECT array_fill(1, ARRAY[100000000])",
        f"{STOPPED}|array size exceeds|out of memory|invalid memory",
    ),
    "huge power": ("SELECT 9.999 ^ 999999999", "value overflows numeric format|out of range"),
    "huge factorial": ("SELECT factorial(10000)", None),
    "huge factorial sums": (
        "SELECT sum(factorial(20000 + n)) FROM generate_series(1, 1000) n",
        STOPPED,
    ),
    "huge exponent": ("SELECT 10::numeric ^ 130000", None),
    "json depth": ("SELECT repeat('[', 1000000)::json", _TOO_DEEP),
    "deep brackets": (f"SELECT {'(' * 20_000}1{')' * 20_000}", _TOO_DEEP),
    "deep sums": ("SELECT " + "1+" * 20_000 + "1", _TOO_DEEP),
    "deep subqueries": (
        "SELECT * FROM " + "(SELECT * FROM " * 2_000 + "item" + ") AS t" * 2_000,
        _TOO_DEEP,
    ),
    "many columns": ("SELECT " + ",".join("1" for _ in range(5_000)), "at most 1664"),
    "many joins": (
        "SELECT count(*) FROM pg_class AS c" + "".join(f", pg_class AS c{n}" for n in range(60)),
        STOPPED,
    ),
    "many rows": ("SELECT n, repeat('x', 5000) FROM generate_series(1, 2000000) AS n", None),
    "many values": ("SELECT count(*) FROM item WHERE id IN (" + "1," * 45_000 + "1)", None),
    "json_agg of all": ("SELECT json_agg(a) FROM generate_series(1, 1000000000) AS a", STOPPED),
    "xml of the database": (
        "SELECT length(database_to_xml(true, true, '')::text) > 0",
        f"{STOPPED}|unsupported XML feature|permission denied",
    ),
    "pattern of percents": (
        "SELECT count(*) FROM generate_series(1, 10000000) AS n"
        " WHERE n || repeat('a', 3000) LIKE repeat('%a', 100) || 'b'",
        STOPPED,
    ),
}
