"""Arguments on their way to DuckDB: through JSON into its process, and there into Python's own types."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.errors import ArgumentsError
from core.messages import message
from core.toolspec import JsonValue, ParameterType
from gateways.bound_texts import encode_text

if TYPE_CHECKING:
    # For types alone: to import them costs each start of a DuckDB process a third of its time.
    from core.execution import Query
    from core.statement import CompiledStatement

# The type of a NULL, which has none of its own, and of every list, which may be empty.
_CASTS = {
    ParameterType.NUMBER: "DOUBLE",
    ParameterType.BOOLEAN: "BOOLEAN",
    ParameterType.INTEGER: "INTEGER",
    ParameterType.DATE: "DATE",
    ParameterType.DATETIME: "TIMESTAMPTZ",
    ParameterType.STRING_LIST: "VARCHAR[]",
    ParameterType.NUMBER_LIST: "DOUBLE[]",
    ParameterType.INTEGER_LIST: "BIGINT[]",
    ParameterType.JSON: "JSON",
    ParameterType.DECIMAL: "DECIMAL(38, 10)",
}
# What stands for an argument while a statement is only described.
_EXAMPLES: dict[ParameterType, object] = {
    ParameterType.NUMBER: 1.5,
    ParameterType.BOOLEAN: True,
    ParameterType.INTEGER: 1,
    ParameterType.DATE: date(2026, 1, 1),
    ParameterType.DATETIME: datetime(2026, 1, 1, tzinfo=UTC),
    ParameterType.STRING_LIST: ["a"],
    ParameterType.NUMBER_LIST: [1.5],
    ParameterType.INTEGER_LIST: [1],
    ParameterType.JSON: {},
    ParameterType.UUID: "00000000-0000-0000-0000-000000000000",
    ParameterType.DECIMAL: Decimal("1.5"),
}
_HUGE = 2**127
_READERS: dict[str, Callable[[str], object]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "decimal": Decimal,
}


def encode_values(query: "Query") -> list[JsonValue]:
    """The values in the order of $1..$n, each as JSON or tagged with its type.

    Raises ArgumentsError for what DuckDB cannot hold.
    """
    names = query.statement.parameter_names
    return [
        _encode(name, query.values[name], declared)
        for name, declared in zip(names, query.types, strict=True)
    ]


def example_values(types: Sequence[ParameterType | None]) -> list[JsonValue]:
    """Values of these types, for a statement that is not run; a text for an unknown one."""
    return [
        None if declared is None else _encode("", _EXAMPLES.get(declared, "a"), declared)
        for declared in types
    ]


def decode_value(value: JsonValue) -> Any:
    """The value as it is bound, in DuckDB's process."""
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        return _READERS[kind](text)
    return [decode_value(item) for item in value] if isinstance(value, list) else value


def typed_sql(
    statement: "CompiledStatement",
    types: Sequence[ParameterType | None],
    values: Mapping[str, object],
) -> str:
    """The statement with a type for each list, and for each NULL, which DuckDB could not place."""
    pieces: list[str] = []
    copied = 0
    for (start, _), (end, _) in zip(statement.anchors, statement.anchors[1:], strict=False):
        mark = statement.sql[start:end]
        if start < copied or not (mark[:1] == "$" and mark[1:].isdigit()):
            continue
        index = int(mark[1:]) - 1
        declared = types[index]
        if declared is None or not (
            declared.is_list or values.get(statement.parameter_names[index]) is None
        ):
            continue
        kind = _CASTS.get(declared, "VARCHAR")
        pieces += statement.sql[copied:start], f"CAST({mark} AS {kind})"
        copied = end
    return "".join(pieces) + statement.sql[copied:]


def _encode(name: str, value: object, declared: ParameterType) -> JsonValue:
    if declared is ParameterType.JSON and value is not None:
        value = json.dumps(value, ensure_ascii=False)
    encoded: JsonValue = value
    match value:
        case None | bool() | float():
            pass
        case int() if not -_HUGE < value < _HUGE:
            raise ArgumentsError(
                message(
                    "arguments.whole_128_bits",
                    "{name}: must be a whole number of at most 128 bits",
                    name=name,
                )
            )
        case int():
            pass
        case list() | tuple():
            encoded = [_encode(name, item, ParameterType.STRING) for item in value]
        case datetime():
            encoded = {"datetime": value.isoformat()}
        case date():
            encoded = {"date": value.isoformat()}
        case Decimal():
            encoded = {"decimal": str(value)}
        case _:
            encoded = str(value)
            encode_text(name, encoded)
    return encoded
