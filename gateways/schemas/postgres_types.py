"""Names of PostgreSQL's types as people write them."""

import re

# What format_type writes out, and the shorter name for it. Types of users that are named so come quoted.
_SHORT_NAMES = {
    "character varying": "varchar",
    "character": "char",
    "numeric": "decimal",
    "bit varying": "varbit",
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "time with time zone": "timetz",
    "time without time zone": "time",
}
_FORMATTED = re.compile(
    r"(?P<word>[a-z]+(?: varying)?)(?P<size>\([-0-9,]+\))?(?P<zone> with(?:out)? time zone)?"
    r"(?P<array>(?:\[\])*)"
)


def short_type_name(formatted: str) -> str:
    """`varchar(255)[]` for `character varying(255)[]`; a name that has no shorter one stays."""
    match = _FORMATTED.fullmatch(formatted)
    if match is None:
        return formatted
    long_name = match["word"] + (match["zone"] or "")
    short_name = _SHORT_NAMES.get(long_name)
    if short_name is None:
        return formatted
    return f"{short_name}{match['size'] or ''}{match['array']}"
