"""Arguments on their way to SQLite, which knows integers, floats, texts and NULL."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from core.errors import ArgumentsError
from core.messages import message
from core.toolspec import JsonValue
from gateways.bound_texts import encode_text

SqliteValue = int | float | str | None


def encode_values(names: Sequence[str], values: Mapping[str, object]) -> dict[str, SqliteValue]:
    """Values by the numbers of $1..$n.

    Booleans are 1 and 0; dates are text as SQLite's own functions write it, `2026-03-01` and, in
    UTC, `2026-03-01 09:30:00` with a fraction only where there is one; decimals are text, lists and
    objects JSON text. Raises ArgumentsError for what SQLite cannot hold.
    """
    return {str(number): _encode(name, values[name]) for number, name in enumerate(names, start=1)}


def _encode(name: str, value: object) -> SqliteValue:
    match value:
        case None | float():
            return value
        case int():
            if not -(2**63) <= value < 2**63:
                raise ArgumentsError(
                    message(
                        "arguments.whole_64_bits",
                        "{name}: must be a whole number of at most 64 bits",
                        name=name,
                    )
                )
            return int(value)
        case list() | tuple():
            # As JSON, true stays true, which json_each gives as 1.
            items: list[JsonValue] = [
                item if isinstance(item, bool | dict | list) else _encode(name, item)
                for item in value
            ]
            text = json.dumps(items, ensure_ascii=False)
        case dict():
            text = json.dumps(value, ensure_ascii=False)
        case datetime():
            in_utc = value.astimezone(UTC) if value.tzinfo else value
            text = in_utc.replace(tzinfo=None).isoformat(sep=" ")
        case date():
            text = value.isoformat()
        case _:
            text = str(value)
    encode_text(name, text)
    return text
