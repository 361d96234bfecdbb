"""Tables and columns as the prompt's sections describe them; nothing else is known of a database."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

_CATALOGUE_LINE = re.compile(
    r"^[-*\s]*(?:(?P<schema>\w+)\.)?(?P<table>\w+)\.(?P<column>\w+) *\| *(?P<type>[^|]*)"
    r"(?:\| *(?P<description>[^|]*))?(?:\| *(?P<keys>.*))?$"
)
_DOCUMENT_TABLE = re.compile(r"\btable: *(?:\w+\.)?(\w+)")
_DOCUMENT_COLUMN = re.compile(r"\bcolumn: *(\w+)")
_NOTE = re.compile(r"^(?:\w+\.)?(\w+): (.+)$", re.MULTILINE)
_REFERENCE = re.compile(r"(?:\w+\.)?(\w+)[.(](\w+)\)?")
_JOIN = re.compile(r"\b(\w+)\.(\w+) *= *(\w+)\.(\w+)")
_SEGMENTS = re.compile(r"\s*(?: / |[：:、，,（）()。;\n])\s*|\. ")
_LABEL = re.compile(r"(?i)(\bname\b|명$|이름|名$|氏名|name in )")
# "Store master" is the table of stores.
_MASTER = re.compile(r"(?i)\s*(?:マスター?|마스터|\bmaster\b)\s*$")
NUMBERS = ("int", "numeric", "decimal", "double", "real", "float", "money", "bigint", "smallint")


@dataclass(frozen=True)
class Column:
    """One column; `refers_to` is the (table, column) of its foreign key."""

    table: str
    name: str
    type: str = ""
    description: str = ""
    example: str = ""
    schema: str = ""
    is_primary: bool = False
    refers_to: tuple[str, str] | None = None

    @property
    def table_path(self) -> str:
        """The table with its schema, where the catalogue names one."""
        return f"{self.schema}.{self.table}" if self.schema else self.table

    @property
    def segments(self) -> list[str]:
        """The description's parts, a language or an aside each, and the column's name."""
        return [*(s for s in _SEGMENTS.split(self.description) if s), self.name.replace("_", " ")]

    @property
    def is_number(self) -> bool:
        return self.type.startswith(NUMBERS)

    @property
    def is_date(self) -> bool:
        return self.type.startswith(("date", "timestamp"))

    @property
    def is_label(self) -> bool:
        """True for a name that people know a row by."""
        is_text = self.type.startswith(("char", "varchar", "text", "citext"))
        return is_text and any(_LABEL.search(segment) for segment in self.segments)


@dataclass
class Schema:
    """All columns that the sections name, and what they say of each table."""

    columns: dict[tuple[str, str], Column] = field(default_factory=dict)
    tables: dict[str, list[str]] = field(default_factory=dict)

    def of_table(self, table: str) -> list[Column]:
        """The table's columns, in the order of the prompt."""
        return [column for column in self.columns.values() if column.table == table]

    def add(self, column: Column) -> None:
        """Keep a column; of two accounts of it, each field of the first that has it."""
        known = self.columns.get((column.table, column.name))
        self.columns[column.table, column.name] = _merge(known, column) if known else column
        self.tables.setdefault(column.table, [])

    def path(self, start: str, end: str) -> list[Column] | None:
        """Foreign keys from `start` up to `end`, fewest first; None where there is no way.

        Only from the many to the one, so that a join never counts a row twice.
        """
        queue: list[tuple[str, list[Column]]] = [(start, [])]
        seen = {start}
        for table, path in queue:
            if table == end:
                return path
            for key in self.of_table(table):
                if key.refers_to and key.refers_to[0] not in seen:
                    seen.add(key.refers_to[0])
                    queue.append((key.refers_to[0], [*path, key]))
        return None


def read_schema(catalogue: str, documents: str, notes: str = "") -> Schema:
    """The schema that `## Catalogue` and `## Reference documents` describe; empty for neither.

    `## Notes` adds what the tables that are described there are called.
    """
    schema = Schema()
    for line in catalogue.splitlines():
        _read_catalogue_line(line, schema)
    for line in documents.splitlines():
        _read_document(line, schema)
    for table, description in _NOTE.findall(notes):
        if table in schema.tables:
            schema.tables[table] += [name for name in _SEGMENTS.split(description) if name]
    for left, key, right, target in _JOIN.findall(f"{catalogue}\n{documents}\n{notes}"):
        known = schema.columns.get((left, key))
        if known and not known.refers_to:
            schema.columns[left, key] = replace(known, refers_to=(right, target))
    return schema


def _read_catalogue_line(line: str, schema: Schema) -> None:
    match = _CATALOGUE_LINE.match(line)
    if match is None:
        return
    keys = match["keys"] or ""
    reference = _REFERENCE.search(keys)
    schema.add(
        Column(
            table=match["table"],
            name=match["column"],
            schema=match["schema"] or "",
            type=match["type"].strip().lower(),
            description=(match["description"] or "").strip(),
            is_primary=bool(re.search(r"(?i)primary|\bpk\b", keys)),
            refers_to=(reference[1], reference[2]) if reference else None,
        )
    )


def _read_document(line: str, schema: Schema) -> None:
    table, column = _DOCUMENT_TABLE.search(line), _DOCUMENT_COLUMN.search(line)
    if table is None:
        return
    if column is None:
        names = [_field(line, "display_name"), *_SEGMENTS.split(_field(line, "description"))]
        schema.tables.setdefault(table[1], []).extend(name for name in names if name)
        return
    schema.add(
        Column(
            table=table[1],
            name=column[1],
            type=_field(line, "type").lower(),
            description=_field(line, "description"),
            example=_field(line, "example"),
        )
    )


def _field(line: str, name: str) -> str:
    match = re.search(rf"\b{name}: *(.*?)(?=, (?:{_FIELDS}): |$)", line)
    return match[1].strip() if match else ""


_FIELDS = "table|column|display_name|type|description|example|tags|notes|keys"


def _merge(first: Column, second: Column) -> Column:
    return replace(
        first,
        type=first.type or second.type,
        description=first.description or second.description,
        example=first.example or second.example,
        schema=first.schema or second.schema,
        is_primary=first.is_primary or second.is_primary,
        refers_to=first.refers_to or second.refers_to,
    )


def table_names(schema: Schema, table: str) -> Iterable[str]:
    """What a table is called, in the database and by people, and what else is said of it."""
    said = (_MASTER.sub("", name) for name in schema.tables.get(table, []))
    return [table.replace("_", " "), *(name for name in said if name)]
