"""Names that trip whoever does not quote them, and SQL that makes tables of them."""

HOSTILE_NAMES = {
    "quote": 'a"b""c',
    "single quote": "it's",
    "newline": "line\nbreak",
    "emoji": "매출 📈",
    "multibyte": "表" * 21,  # 63 bytes, as many as PostgreSQL keeps
    "dot": "public.item",
    "percent": "100%s %(x)s",
    "backslash": "back\\slash",
    "uppercase": "UpperCase",
    "reserved": "select",
    "colon": ":name",
    "dollar": "$1",
    "comment": "a--b/*c",
    "semicolon": "a; DROP TABLE item",
    "brackets": "a[[b]]",
    "braces": "{a,b}",
}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def hostile_table(name: str) -> str:
    """A table, its column, its only value and, in PostgreSQL, nothing else are called `name`."""
    text = name.replace("'", "''")
    quoted = quote(name)
    insert = f"INSERT INTO {quoted} VALUES (1, '{text}'), (2, NULL)"  # noqa: S608 - quoted
    return f"CREATE TABLE {quoted} (id integer PRIMARY KEY, {quoted} text); {insert};"
