"""Arguments on their way to MariaDB or MySQL, which are told the type of each value."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from core.errors import ArgumentsError
from core.messages import message
from core.toolspec import JsonValue
from gateways.bound_texts import encode_text
from gateways.mysql.sql import SplitStatement, pad_length

# A function over a longer text may take minutes, in which nothing can stop the server.
TEXT_BYTE_LIMIT = 65_536
_MOST_VALUES = 65_535

MysqlValue = int | str | Decimal | float | None


def encode_values(
    statement: SplitStatement,
    names: Sequence[str],
    values: Mapping[str, object],
    zone: tzinfo | None = None,
) -> tuple[tuple[int, ...], tuple[MysqlValue, ...]]:
    """The lengths of the lists, and the values in the order of their marks.

    Booleans are 1 and 0; dates are texts, `2026-03-01` and, in `zone` or UTC, `2026-03-01 09:30:00` with
    a fraction only where there is one; numbers with digits behind the point are decimals; a list is padded with its
    last value, and elsewhere than in IN it is JSON text, as objects are. Raises ArgumentsError.
    """
    values = {
        name: value.astimezone(zone or UTC)
        if isinstance(value, datetime) and value.tzinfo
        else value
        for name, value in values.items()
    }
    encoded = [_encode(name, values[name]) for name in names]
    lengths: list[int] = []
    found: list[MysqlValue] = []
    for slot in statement.slots:
        if not slot.is_list:
            found.append(encoded[slot.parameter])
            continue
        name = names[slot.parameter]
        # An absent list finds nothing, with NOT too.
        given: Any = values[name] if isinstance(values[name], list | tuple) else [values[name]]
        items = [_encode(name, item) for item in given]
        items += items[-1:] * (pad_length(len(items)) - len(items))
        lengths.append(len(items))
        found += items
    # The last one bounds the rows.
    if len(found) >= _MOST_VALUES:
        raise ArgumentsError(
            message(
                "arguments.too_many_values",
                "{name}: a query takes at most {limit} values together",
                name=", ".join(names),
                limit=_MOST_VALUES,
            )
        )
    return tuple(lengths), tuple(found)


def _encode(name: str, value: object) -> MysqlValue:
    match value:
        case None | Decimal():
            return value
        case int():
            if not -(2**63) <= value < 2**64:
                raise ArgumentsError(
                    message(
                        "arguments.whole_64_bits",
                        "{name}: must be a whole number of at most 64 bits",
                        name=name,
                    )
                )
            return int(value)
        case float():
            text = repr(value)
            # A number of very many digits is none of the server's decimals.
            number = value if "e" in text else Decimal(text)
            return int(value) if value.is_integer() and abs(value) < 2**63 else number
    text = _write_text(name, value)
    if len(encode_text(name, text)) > TEXT_BYTE_LIMIT:
        raise ArgumentsError(
            message(
                "arguments.text_bytes",
                "{name}: must be at most {limit} bytes on this data source",
                name=name,
                limit=TEXT_BYTE_LIMIT,
            )
        )
    return text


def _write_text(name: str, value: object) -> str:
    match value:
        case list() | tuple() | dict():
            return json.dumps(_to_json(name, value), ensure_ascii=False)
        case datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case date():
            return value.isoformat()
    return str(value)


def _to_json(name: str, value: object) -> JsonValue:
    match value:
        case dict():
            return {str(key): _to_json(name, item) for key, item in value.items()}
        case list() | tuple():
            return [_to_json(name, item) for item in value]
        case None | bool() | int() | float() | str():
            return value
    encoded = _encode(name, value)
    return str(encoded) if isinstance(encoded, Decimal) else encoded
