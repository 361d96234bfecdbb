"""What a statement may be, judged by DuckDB's own parse of it: a query, over tables, by known functions."""

import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from core.errors import StatementError
from core.messages import Message, message
from gateways.duckdb.functions import ALLOWED_FUNCTIONS, ALLOWED_TABLE_FUNCTIONS

# DuckDB's words for what a query is made of; whatever is not among them is no query, or not yet known.
_QUERY_NODES = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "STATEMENT_NODE"}
)
_TABLE_KINDS = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT"}
)
_MODIFIERS = frozenset(
    {"LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "DISTINCT_MODIFIER"}
)
_INNER_SCHEMAS = frozenset({"information_schema", "pg_catalog"})
_INNER_CATALOGS = frozenset({"system", "temp"})
_INNER_TABLE = re.compile(r"(duckdb|pragma|sqlite|pg)_", re.ASCII)
_NO_PLACE = 2**63
_WORD = re.compile(r"[^\W\d]\w*")


class Gate:
    """Judges statements on one open database.

    `tables` are the names of its own tables and views, `macros` of its own functions, all in small letters.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, tables: frozenset[str], macros: frozenset[str]
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._functions = ALLOWED_FUNCTIONS | macros
        self._table_functions = ALLOWED_TABLE_FUNCTIONS | macros

    def check(self, sql: str) -> None:
        """Raise StatementError, with the place, unless the text is one query that may run here."""
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise StatementError(_NOT_A_QUERY, 0)
        row = self._connection.execute("SELECT json_serialize_sql($1)", [sql]).fetchone()
        tree = json.loads(row[0]) if row else {}
        if tree.get("error", True):
            raise StatementError(_NOT_A_QUERY, 0)
        nodes = list(_walk(tree["statements"]))
        # The call of a table function is judged with its place, not as a value.
        calls = {id(node["function"]) for node, _ in nodes if node.get("type") == "TABLE_FUNCTION"}
        for node, common in nodes:
            if id(node) not in calls and (refusal := self._judge(node, common)):
                raise StatementError(refusal, _place(sql, node))

    def _judge(self, node: dict[str, Any], common: frozenset[str]) -> Message | None:
        """Why the node is refused; `common` are the names of WITH that it can read."""
        kind = str(node.get("type", ""))
        if "function_name" in node:
            return self._judge_function(node, is_table=False)
        if "class" in node or not kind.isupper():
            return None
        if kind == "TABLE_FUNCTION":
            return self._judge_function(node.get("function") or {}, is_table=True)
        if kind == "BASE_TABLE":
            return self._judge_table(node, common)
        is_known = kind in _TABLE_KINDS or kind in _QUERY_NODES or kind in _MODIFIERS
        # Others are the types of values.
        is_part = (
            kind.endswith(("_NODE", "_MODIFIER", "_REF")) or "alias" in node or "modifiers" in node
        )
        return _NOT_A_QUERY if is_part and not is_known else None

    def _judge_function(self, node: dict[str, Any], *, is_table: bool) -> Message | None:
        name = str(node.get("function_name", "")).lower()
        allowed = self._table_functions if is_table else self._functions
        if name in allowed or (not is_table and not _WORD.fullmatch(name)):
            return None
        return message(
            "statement.function_refused",
            "function {name} is not allowed on this source",
            name=name,
        )

    def _judge_table(self, node: dict[str, Any], common: frozenset[str]) -> Message | None:
        name, schema = str(node["table_name"]).lower(), str(node.get("schema_name", "")).lower()
        catalog = str(node.get("catalog_name", "")).lower()
        is_inner = schema in _INNER_SCHEMAS or catalog in _INNER_CATALOGS
        if not is_inner and (name in self._tables or (name in common and not schema)):
            return None
        if is_inner or _INNER_TABLE.match(name):
            return message(
                "statement.table_refused",
                "table {table} is not allowed on this source",
                table=name,
            )
        if re.search(r"[./:*\\]", name):
            return message(
                "statement.path_as_table",
                "files are not read by their path; name the table that the file is",
            )
        return None  # DuckDB says that it does not exist, and what is near.


_NOT_A_QUERY = message(
    "statement.no_duckdb_query",
    "only queries that change nothing can be served: SELECT, WITH, FROM, VALUES or TABLE",
)


def _walk(node: object) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Every object of the tree, with the names of WITH that it can read, in small letters.

    Elsewhere the same name is that of a table, DuckDB's own ones included. Without recursion, which a
    deep statement would exhaust.
    """
    waiting: list[tuple[object, frozenset[str]]] = [(node, frozenset())]
    while waiting:
        found, common = waiting.pop()
        if isinstance(found, list):
            waiting.extend((item, common) for item in found)
        if not isinstance(found, dict):
            continue
        rest = dict(found)
        if isinstance(map_ := rest.pop("cte_map", None), dict):
            # Each one sees those before it, and what they belong to sees all.
            for entry in map_.get("map", []):
                waiting.append((entry, common))
                common |= {str(entry["key"]).lower()}
        yield found, common
        if found.get("type") == "RECURSIVE_CTE_NODE":
            # Only what is repeated sees itself.
            repeated = common | {str(found.get("cte_name", "")).lower()}
            waiting.append((rest.pop("right", None), repeated))
        waiting.extend((value, common) for value in rest.values())


def _place(sql: str, node: dict[str, Any]) -> int | None:
    """The offset of the node in characters, which DuckDB counts in bytes."""
    offset = node.get("query_location", _NO_PLACE)
    if not isinstance(offset, int) or offset >= _NO_PLACE:
        return None
    return len(sql.encode()[:offset].decode(errors="ignore"))
