"""Rows of an answer within their limits, and the structured content and texts that they become."""

from collections.abc import Sequence
from typing import Any

import orjson
from msgspec import Struct

from core.formatting import (
    format_cell,
    format_csv,
    format_json_records,
    format_markdown,
    format_records,
)
from core.json_text import encode_json, encode_plain, to_encodable
from core.toolspec import HttpLogic, JsonValue, ResultFormat, SqlLogic, ToolSpec

# `{}` would say the same, but strict clients refuse a schema without keywords.
_ANY_VALUE = {
    "anyOf": [
        {"type": name}
        # An integer is a number too; named apart, clients that make types of it keep 15 from being 15.0.
        for name in ("string", "integer", "number", "boolean", "object", "array", "null")
    ]
}
_QUERY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "columns": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "array"}},
        "row_count": {"type": "integer"},
        "truncated": {"type": "boolean"},
        "applied_limit": {"type": "integer"},
        "elapsed_ms": {"type": "number"},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["columns", "row_count", "truncated", "applied_limit", "elapsed_ms"],
}
_VALUE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"result": _ANY_VALUE},
    "required": ["result"],
    # FastMCP's client unwraps the value; others do not mind the keyword.
    "x-fastmcp-wrap-result": True,
}
# The service's own object where it answers with one.
_SERVICE_SCHEMA: dict[str, Any] = {"type": "object"}


# Of JSON values, in the order of the columns.
Row = tuple[Any, ...]


class QueryResult(Struct, frozen=True, kw_only=True):
    """Rows as JSON values, column order kept; duplicate column names are legal.

    `truncated` says that rows or cells were left out; `notes` says which and why, a sentence each.
    `rows_json` is `rows` as orjson writes them, or empty where that was not done or is not possible.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    truncated: bool = False
    applied_limit: int = 0
    elapsed_ms: float = 0.0
    notes: tuple[str, ...] = ()
    rows_json: bytes = b""


class Answer(Struct, frozen=True, kw_only=True):
    """What a call gives: structured content, the texts beside it in order, and a query's rows."""

    structured: dict[str, Any]
    texts: tuple[str, ...]
    row_count: int | None = None
    truncated: bool = False
    result: QueryResult | None = None
    # PNG, after the texts.
    images: tuple[bytes, ...] = ()


class RowCollector:
    """Takes rows one by one up to exact limits: whole rows only, nothing is cut.

    After each `add`, the rows are at most `row_limit` and at most `byte_limit` bytes as one JSON array.
    """

    def __init__(self, row_limit: int, byte_limit: int) -> None:
        self.rows: list[Row] = []
        self.row_limit = row_limit
        self.byte_limit = byte_limit
        self.truncated = False
        self.notes: tuple[str, ...] = ()
        # Two brackets, less the comma that the first row does not need.
        self._byte_count = 1
        # The rows as JSON without the brackets around them, as far as orjson can write them.
        self._pieces: list[bytes] | None = []

    def add(self, row: Row) -> bool:
        """Whether the row was taken; False says that the answer is full and no row is taken any more."""
        if self.truncated or len(self.rows) >= self.row_limit:
            self.truncated = True
            return False
        encoded = encode_plain(row)
        byte_count = self._byte_count + 1 + len(encode_json(row) if encoded is None else encoded)
        if byte_count > self.byte_limit:
            count = len(self.rows)
            most = f"{_first_rows(count)}; more would pass the limit of"
            none = "No row is shown; the first alone passes the limit of"
            self.truncated = True
            self.notes = (
                f"{most if count else none} {self.byte_limit} bytes; select fewer columns or narrow"
                " the query.",
            )
            return False
        self._byte_count = byte_count
        self.rows.append(row)
        self._keep(encoded)
        return True

    def add_all(self, rows: list[Row]) -> bool:
        """As `add` for each row, until one is not taken; encodes them as a whole where all fit."""
        if len(self.rows) + len(rows) <= self.row_limit and not self.truncated:
            if not rows:
                return True
            encoded = encode_plain(rows)
            # Two brackets less, one comma more than the rows add.
            byte_count = self._byte_count - 1
            byte_count += len(encode_json(rows) if encoded is None else encoded)
            if byte_count <= self.byte_limit:
                self._byte_count = byte_count
                self.rows += rows
                self._keep(encoded and encoded[1:-1])
                return True
        return all(map(self.add, rows))

    def finish(
        self, columns: Sequence[str], elapsed_ms: float, notes: Sequence[str] = ()
    ) -> QueryResult:
        """The rows taken; `notes` follow the collector's own."""
        return QueryResult(
            columns=tuple(columns),
            rows=self.rows,
            truncated=self.truncated,
            applied_limit=self.row_limit,
            elapsed_ms=elapsed_ms,
            notes=(*self.notes, *notes),
            rows_json=b"" if self._pieces is None else b"[%b]" % b",".join(self._pieces),
        )

    def _keep(self, piece: bytes | None) -> None:
        if piece is None:
            self._pieces = None
        elif self._pieces is not None:
            self._pieces.append(piece)


def query_answer(result: QueryResult, result_format: ResultFormat) -> Answer:
    """The answer of a query. Rows stand in the structured content too where the text is JSON."""
    is_json = result_format is ResultFormat.JSON
    return Answer(
        structured=structured_content(result, include_rows=is_json),
        texts=tuple(text_content(result, result_format)),
        row_count=len(result.rows),
        truncated=result.truncated,
        result=result,
    )


def value_answer(value: JsonValue) -> Answer:
    """The answer of an expression."""
    structured, text = value_content(value)
    return Answer(structured=structured, texts=(text,))


def output_schema(spec: ToolSpec) -> dict[str, Any]:
    """The JSON schema of the structured content that the tool gives; shared, not to be changed."""
    match spec.logic:
        case SqlLogic():
            return _QUERY_SCHEMA
        case HttpLogic():
            return _SERVICE_SCHEMA
        case _:
            return _VALUE_SCHEMA


def structured_content(result: QueryResult, include_rows: bool = True) -> dict[str, Any]:
    """The result as one JSON object; `notes` only where there are any, truncation always in words there."""
    content: dict[str, Any] = {"columns": list(result.columns)}
    if include_rows:
        content["rows"] = result.rows
    content["row_count"] = len(result.rows)
    content["truncated"] = result.truncated
    content["applied_limit"] = result.applied_limit
    content["elapsed_ms"] = round(result.elapsed_ms, 3)
    if notes := _explain(result):
        content["notes"] = notes
    return content


def structured_json(answer: Answer) -> bytes:
    """`answer.structured` as `encode_json` writes it; rows that are JSON already are put in as they are."""
    result, structured = answer.result, answer.structured
    if result is not None and result.rows_json and structured.get("rows") is result.rows:
        encoded = encode_plain({**structured, "rows": orjson.Fragment(result.rows_json)})
        if encoded is not None:
            return encoded
    return encode_json(structured)


def text_content(result: QueryResult, result_format: ResultFormat) -> list[str]:
    """The result as texts in order: the rows, and after JSON or CSV, which must stay pure, the notes."""
    notices: list[str] = []
    for reason in _explain(result):
        # "NaN ..." and the like keep their capital.
        has_capitals = reason[1:2].isupper() or reason[2:3].isupper()
        text = (reason if has_capitals else reason[:1].lower() + reason[1:]).removesuffix(".")
        is_cut = result.truncated and not notices
        notices.append(f"(truncated: {text})" if is_cut else f"(note: {text})")
    match result_format:
        case ResultFormat.JSON:
            body = format_json_records(result.columns, result.rows, result.rows_json)
        case ResultFormat.CSV:
            body = format_csv(result.columns, result.rows)
        case ResultFormat.MARKDOWN:
            body = format_markdown(result.columns, result.rows)
        case ResultFormat.TEXT:
            body = format_records(result.columns, result.rows)
    if not notices:
        return [body]
    notice = "\n".join(notices)
    is_pure = result_format in (ResultFormat.JSON, ResultFormat.CSV)
    return [body, notice] if is_pure else [f"{body}\n\n{notice}"]


def value_content(value: JsonValue) -> tuple[dict[str, Any], str]:
    """Structured content `{"result": value}` and text: text as it is, any other value as JSON."""
    encodable = to_encodable(value)
    return {"result": encodable}, format_cell(encodable)


def _explain(result: QueryResult) -> list[str]:
    if result.truncated:
        # Rows that were left out at the row limit need no note of the gateway that ran the query.
        is_full = 0 < result.applied_limit <= len(result.rows)
        if is_full or not result.notes:
            return [f"{_first_rows(len(result.rows))}; narrow the query.", *result.notes]
    return list(result.notes)


def _first_rows(count: int) -> str:
    return "The first row is shown" if count == 1 else f"The first {count} rows are shown"
