"""Arguments on their way to PostgreSQL: declared types as OIDs, values as the wire's text."""

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from core.parameter_types.registry import PARAMETER_TYPES
from core.toolspec import ParameterType
from gateways.bound_texts import encode_text

UNKNOWN_OID = 0
INT8_OID, TEXT_OID, NUMERIC_OID, NUMERIC_LIST_OID = 20, 25, 1700, 1231

# The types that parameters name, by PostgreSQL's own short names; an array of money is none of them.
_OIDS = {
    "bool": 16,
    "int8": INT8_OID,
    "int2": 21,
    "int4": 23,
    "text": TEXT_OID,
    "oid": 26,
    "float4": 700,
    "float8": 701,
    "money": 790,
    "bpchar": 1042,
    "varchar": 1043,
    "date": 1082,
    "time": 1083,
    "timestamp": 1114,
    "timestamptz": 1184,
    "timetz": 1266,
    "numeric": NUMERIC_OID,
    "char[]": 1002,
    "int2[]": 1005,
    "int4[]": 1007,
    "text[]": 1009,
    "bpchar[]": 1014,
    "varchar[]": 1015,
    "int8[]": 1016,
    "float4[]": 1021,
    "float8[]": 1022,
    "oid[]": 1028,
    "json": 114,
    "jsonb": 3802,
    "uuid": 2950,
    "numeric[]": NUMERIC_LIST_OID,
    "date[]": 1182,
    "timestamp[]": 1115,
    "timestamptz[]": 1185,
    "uuid[]": 2951,
}
DECLARED_OIDS = {declared: _OIDS[kind.database_type] for declared, kind in PARAMETER_TYPES.items()}
_NATURAL_OIDS = {
    declared: frozenset(_OIDS[name] for name in kind.kept_types & _OIDS.keys())
    for declared, kind in PARAMETER_TYPES.items()
    if kind.kept_types is not None
}
_INTEGER_BITS = {21: 15, 23: 31, 20: 63, 1005: 15, 1007: 31, 1016: 63}
_JSON_OIDS = frozenset({114, 3802})
_NONE: frozenset[int] = frozenset()
_SUGGESTED = {
    # Of what no list is declared, such as dates, a list of texts is.
    **{oid: ParameterType.STRING_LIST for name, oid in _OIDS.items() if name.endswith("[]")},
    **{
        _OIDS[name]: declared
        for declared, kind in PARAMETER_TYPES.items()
        for name in kind.proposed_for & _OIDS.keys()
    },
}


def declared_oid(declared: ParameterType | None) -> int:
    """The type to give the server where it finds none itself; text where none is declared."""
    return TEXT_OID if declared is None else DECLARED_OIDS[declared]


def suggest_type(oid: int) -> ParameterType:
    """The type to declare for a parameter that the server took for this one."""
    return _SUGGESTED.get(oid, ParameterType.STRING)


def is_natural(declared: ParameterType, oid: int) -> bool:
    """Whether the type that the server took for a parameter keeps the sense of the declared one.

    Where nothing else decides, the server takes text: `:a > :b` would compare the digits of
    numbers as words, and `:day - interval '1 day'` would read the day as an interval.
    """
    natural = _NATURAL_OIDS.get(declared)
    return natural is None or oid in natural


def find_numeric(values: Sequence[object], oids: Sequence[int]) -> frozenset[int]:
    """Indexes of the numbers that their integer type cannot hold, such as 2.5 for an int4."""
    found = [
        index
        for index, (value, oid) in enumerate(zip(values, oids, strict=True))
        if (bits := _INTEGER_BITS.get(oid)) and not _fits(value, bits)
    ]
    return frozenset(found) if found else _NONE


def encode_values(
    names: Sequence[str], values: Sequence[object], oids: Sequence[int]
) -> list[bytes | None]:
    """Values in PostgreSQL's text format. Raises ArgumentsError for a text it cannot hold."""
    encoded: list[bytes | None] = []
    for name, value, oid in zip(names, values, oids, strict=True):
        if value is None:
            encoded.append(None)
            continue
        if type(value) is int:
            encoded.append(b"%d" % value)
        elif isinstance(value, str):
            encoded.append(encode_text(name, value))
        else:
            is_json = oid in _JSON_OIDS
            text = json.dumps(value, default=str) if is_json else _text(value)
            encoded.append(encode_text(name, text))
    return encoded


def _text(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case date():
            return value.isoformat()
        case dict():
            return json.dumps(value)
        case list() | tuple():
            return "{" + ",".join(map(_element, value)) + "}"
    return str(value)


def _element(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _text(value)


def _fits(value: object, bits: int) -> bool:
    if type(value) is int:
        return -1 <= value >> bits <= 0
    match value:
        case bool():
            return True
        case int() | float() | Decimal():
            return value == int(value) and -(2**bits) <= value < 2**bits
        case list() | tuple():
            return all(_fits(item, bits) for item in value)
        case _:
            return True
