"""Tables and columns of the catalogue as reference documents.

All documents are in one collection, which knows no rights: whoever may search it finds them all.
So tables that are gone or hidden, and those of restricted data sources, have none.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import connection, transaction
from django.db.models import BigIntegerField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from catalog.documents.rows import Document, Metadata
from catalog.documents.searchable import IS_KEY, TABLE_TITLE
from catalog.documents.stored import CATALOGUE_PREFIX, make_row, upsert_rows
from catalog.models import CatalogColumn, CatalogTable, DataSource, DocumentKind, ReferenceDocument
from catalog.serving.table_names import read_agent_names
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.masking import MASK, is_sensitive

# Any number that no other program of this database uses for its own lock.
REFRESH_LOCK = 3_003_006
TABLES_TOGETHER = 100
# Of a comment of 100 kB the beginning says what it is about; a model reads 1,000 characters in all.
MAX_DESCRIPTION_CHARACTERS = 600
MAX_EXAMPLE_CHARACTERS = 60
# Longer keys become digests: an index of PostgreSQL takes 2.7 kB.
MAX_KEY_CHARACTERS = 300
# So few documents are an edit, and wait for nothing.
URGENT_DOCUMENTS = 100


@dataclass(frozen=True)
class _Refresh:
    """What the documents of some tables are, and all keys they ever can have had."""

    rows: list[ReferenceDocument]
    keys: set[str]


def refresh_table_documents(table_ids: Collection[int]) -> int:
    """Make the documents of these tables what their rows say; how many were written or deleted.

    So are those of tables whose name for agents is another one now, as after a second table of
    the same name was found.
    """
    names = read_agent_names()
    ids = sorted({*table_ids, *_find_renamed(table_ids, names)})
    return sum(
        _refresh(ids[start : start + TABLES_TOGETHER], names)
        for start in range(0, len(ids), TABLES_TOGETHER)
    )


def refresh_source_documents(source_id: int | None) -> int:
    """The same for all tables of a data source, after documents were removed that nobody may find."""
    removed = remove_unserved_documents()
    tables = CatalogTable.objects.filter(source=source_id)
    return removed + refresh_table_documents(list(tables.values_list("pk", flat=True)))


def refresh_all_documents() -> int:
    """The same for the whole catalogue; what any other change has left behind is mended."""
    removed = remove_unserved_documents() + _remove_orphans()
    written = refresh_table_documents(list(CatalogTable.objects.values_list("pk", flat=True)))
    return removed + written


def remove_unserved_documents() -> int:
    """Delete documents of data sources that are restricted, renamed or deleted; how many there were."""
    served = DataSource.objects.filter(is_restricted=False).values_list("name", flat=True)
    sources = [CATALOGUE_PREFIX + name for name in (DEFAULT_SOURCE_NAME, *served)]
    documents = ReferenceDocument.objects.filter(source__startswith=CATALOGUE_PREFIX)
    return documents.exclude(source__in=sources).delete()[0]


def _remove_orphans() -> int:
    """Delete documents whose table has no row any more."""
    documents = ReferenceDocument.objects.filter(source__startswith=CATALOGUE_PREFIX)
    numbered = documents.annotate(table_id=Cast(KT("metadata__table_id"), BigIntegerField()))
    return numbered.exclude(table_id__in=CatalogTable.objects.values("pk")).delete()[0]


def _find_renamed(table_ids: Collection[int], names: Mapping[int, str]) -> list[int]:
    """Tables of the same bare names whose documents have another name than the one they have now."""
    shared = CatalogTable.objects.filter(pk__in=table_ids).values("name")
    namesakes = CatalogTable.objects.filter(name__in=shared).exclude(pk__in=table_ids)
    keys = {_table_key(table): table.pk for table in namesakes.select_related("source")}
    told = ReferenceDocument.objects.filter(key__in=keys).values_list("key", "table_name")
    return [keys[key] for key, name in told if names.get(keys[key]) != name]


def _refresh(table_ids: Sequence[int], names: Mapping[int, str]) -> int:
    with transaction.atomic():
        # What is read after this nobody else has written less of.
        _wait_for_other_refreshes()
        found = _make_rows(table_ids, names)
        stored = ReferenceDocument.objects.filter(key__in=found.keys)
        known = dict(stored.values_list("key", "content_hash"))
        written = [row for row in found.rows if known.get(row.key) != row.content_hash]
        for row in written:
            row.is_urgent = len(written) <= URGENT_DOCUMENTS
        upsert_rows(written)
        gone = known.keys() - {row.key for row in found.rows}
        if gone:
            ReferenceDocument.objects.filter(key__in=gone).delete()
        return len(written) + len(gone)


def _wait_for_other_refreshes() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [REFRESH_LOCK])


def _make_rows(table_ids: Sequence[int], names: Mapping[int, str]) -> _Refresh:
    tables = CatalogTable.objects.filter(pk__in=table_ids).select_related("source")
    found = _Refresh([], set())
    for table in tables.prefetch_related("tags", "columns", "relations"):
        columns = list(table.columns.all())
        found.keys.add(_table_key(table))
        found.keys.update(_column_key(table, column) for column in columns)
        if _is_found(table) and table.pk in names:
            source = CATALOGUE_PREFIX + _source_name(table)
            documents = _make_documents(table, columns, names[table.pk])
            found.rows.extend(make_row(source, document) for document in documents)
    return found


def _is_found(table: CatalogTable) -> bool:
    is_served = table.gone_at is None and not table.is_hidden
    return is_served and not (table.source and table.source.is_restricted)


def _make_documents(
    table: CatalogTable, columns: Sequence[CatalogColumn], name: str
) -> Iterator[Document]:
    metadata: Metadata = {
        "data_source": _source_name(table),
        "schema": table.schema,
        "table_id": table.pk,
    }
    content = _describe_table(table, name)
    yield Document(_table_key(table), DocumentKind.TABLE, content, metadata)
    examples, keys = _find_examples(table), _find_keys(table, columns)
    for column in columns:
        if column.gone_at is None:
            content = _describe_column(column, table, name, examples.get(column.name, ""))
            told = {**metadata, IS_KEY: True} if column.name in keys else metadata
            yield Document(_column_key(table, column), DocumentKind.COLUMN, content, told)


def _find_keys(table: CatalogTable, columns: Sequence[CatalogColumn]) -> set[str]:
    """The names of columns that are primary, or by which the table is joined to another."""
    primary = {column.name for column in columns if column.is_primary_key}
    listed = (each.columns for each in table.relations.all() if isinstance(each.columns, list))
    return primary.union(*(map(str, names) for names in listed))


def _describe_table(table: CatalogTable, name: str) -> dict[str, str]:
    return _without_empty(
        table=name,
        display_name=table.display_name,
        description=_cut(_describe_in_all_words(table)),
        tags=", ".join(tag.name for tag in table.tags.all()),
        notes=_cut(table.notes),
    )


def _describe_in_all_words(table: CatalogTable) -> str:
    """What people wrote, and the comment too: it may be in the language that somebody asks in."""
    if table.description in table.source_comment:
        return table.source_comment
    return f"{table.description} {table.source_comment}"


def _describe_column(
    column: CatalogColumn, table: CatalogTable, name: str, example: str
) -> dict[str, str]:
    told = [text for text in (column.display_name, column.told_description) if text]
    return _without_empty(
        table=name,
        column_name=column.name,
        data_type=column.type_name,
        description=_cut(": ".join(told)),
        example=example if example and not _is_masked(column, table) else "",
        **{TABLE_TITLE: _cut(table.display_name)},
    )


def _is_masked(column: CatalogColumn, table: CatalogTable) -> bool:
    # Asked again: it may have been decided after the sample was read.
    if column.is_masked is None:
        return is_sensitive(column.name, column.source_comment, table.name)
    return column.is_masked


def _find_examples(table: CatalogTable) -> dict[str, str]:
    """By column, the first value of the sample that says something."""
    sample = table.sample if isinstance(table.sample, dict) else {}
    examples: dict[str, str] = {}
    for row in sample.get("rows", ()):
        for column, value in zip(sample.get("columns", ()), row, strict=False):
            if column not in examples and value not in (None, "", MASK):
                examples[column] = _show(value)
    return examples


def _show(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= MAX_EXAMPLE_CHARACTERS else line[: MAX_EXAMPLE_CHARACTERS - 1] + "…"


def _cut(text: str) -> str:
    """The text on one line, at most as long as documents have use for."""
    line = " ".join(text[: 2 * MAX_DESCRIPTION_CHARACTERS].split())
    if len(line) <= MAX_DESCRIPTION_CHARACTERS:
        return line
    return line[: MAX_DESCRIPTION_CHARACTERS - 1] + "…"


def _without_empty(**content: str) -> dict[str, str]:
    return {name: text for name, text in content.items() if text}


def _source_name(table: CatalogTable) -> str:
    return table.source.name if table.source else DEFAULT_SOURCE_NAME


def _table_key(table: CatalogTable) -> str:
    return _shorten_key(_source_name(table), table.schema, table.name)


def _column_key(table: CatalogTable, column: CatalogColumn) -> str:
    return _shorten_key(_source_name(table), table.schema, table.name, column.name)


def _shorten_key(source: str, schema: str, *names: str) -> str:
    """`catalogue:main_db/public.users.email`; what dots would make ambiguous is escaped."""
    parts = [part.replace("%", "%25").replace(".", "%2E") for part in names]
    if schema:
        parts.insert(0, schema.replace("%", "%25").replace(".", "%2E"))
    key = f"{CATALOGUE_PREFIX}{source}/{'.'.join(parts)}"
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    return f"{CATALOGUE_PREFIX}{source}/sha256:{sha256(key.encode()).hexdigest()}"
