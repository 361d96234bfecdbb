"""Tables and columns of the catalogue as reference documents.

All documents are in one collection, which knows no rights: everybody who may search it finds them all.
So tables that are gone or hidden, and those of restricted data sources, have none.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256

from django.db import connection, transaction
from django.db.models import BigIntegerField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from catalog.browsing.addresses import source_name_of
from catalog.documents.rows import Document, Metadata
from catalog.documents.searchable import IS_KEY, TABLE_TITLE
from catalog.documents.stored import CATALOG_PREFIX, make_row, upsert_rows
from catalog.models import CatalogColumn, CatalogTable, DataSource, DocumentKind, ReferenceDocument
from catalog.serving.table_names import read_agent_names
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.masking import MASK

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


def refresh_table_documents(table_ids: Collection[int]) -> int:
    """Make the documents of these tables what their rows say; how many were written or deleted.

    So are those of tables whose name for agents is another one now, as after a second table of
    the same name was found.
    """
    names = read_agent_names()
    # Tables of the same bare names whose documents have another name than the one they have now.
    shared = CatalogTable.objects.filter(pk__in=table_ids).values("name")
    namesakes = CatalogTable.objects.filter(name__in=shared).exclude(pk__in=table_ids)
    keys = {_make_key(table): table.pk for table in namesakes.select_related("source")}
    documents = ReferenceDocument.objects.filter(key__in=keys).values_list("key", "table_name")
    renamed = [keys[key] for key, name in documents if names.get(keys[key]) != name]
    ids = sorted({*table_ids, *renamed})
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
    removed = remove_unserved_documents()
    documents = ReferenceDocument.objects.filter(source__startswith=CATALOG_PREFIX)
    numbered = documents.annotate(table_id=Cast(KT("metadata__table_id"), BigIntegerField()))
    removed += numbered.exclude(table_id__in=CatalogTable.objects.values("pk")).delete()[0]
    return removed + refresh_table_documents(
        list(CatalogTable.objects.values_list("pk", flat=True))
    )


def remove_unserved_documents() -> int:
    """Delete documents of data sources that are restricted, renamed or deleted; how many there were."""
    served = DataSource.objects.filter(is_restricted=False).values_list("name", flat=True)
    sources = [CATALOG_PREFIX + name for name in (DEFAULT_SOURCE_NAME, *served)]
    documents = ReferenceDocument.objects.filter(source__startswith=CATALOG_PREFIX)
    return documents.exclude(source__in=sources).delete()[0]


def _refresh(table_ids: Sequence[int], names: Mapping[int, str]) -> int:
    """Make the documents of these tables what their rows say; how many changed."""
    with transaction.atomic():
        # What is read after this nobody else has written less of.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [REFRESH_LOCK])
        rows: list[ReferenceDocument] = []
        # All keys that documents of these tables ever can have had.
        keys: set[str] = set()
        tables = CatalogTable.objects.filter(pk__in=table_ids).select_related("source")
        for table in tables.prefetch_related("tags", "columns", "relations"):
            keys.add(_make_key(table))
            keys.update(_make_key(table, column) for column in table.columns.all())
            is_served = table.gone_at is None and not table.is_hidden and table.pk in names
            if is_served and not (table.source and table.source.is_restricted):
                source = CATALOG_PREFIX + source_name_of(table)
                documents = _make_documents(table, names)
                rows.extend(make_row(source, document) for document in documents)
        stored = ReferenceDocument.objects.filter(key__in=keys)
        known = dict(stored.values_list("key", "content_hash"))
        written = [row for row in rows if known.get(row.key) != row.content_hash]
        for row in written:
            row.is_urgent = len(written) <= URGENT_DOCUMENTS
        upsert_rows(written)
        gone = known.keys() - {row.key for row in rows}
        if gone:
            ReferenceDocument.objects.filter(key__in=gone).delete()
        return len(written) + len(gone)


def _make_documents(table: CatalogTable, names: Mapping[int, str]) -> Iterator[Document]:
    """The document of a table, then those of its present columns; `names` are those for agents."""
    name = names[table.pk]
    metadata: Metadata = {
        "data_source": source_name_of(table),
        "schema": table.schema,
        "table_id": table.pk,
    }
    # The comment too: it may be in the language that somebody asks in.
    description = table.source_comment
    if table.description not in description:
        description = f"{table.description} {description}"
    content = _without_empty(
        table=name,
        display_name=table.display_name,
        description=_cut(description),
        tags=", ".join(tag.name for tag in table.tags.all()),
        notes=_cut(table.notes),
    )
    yield Document(_make_key(table), DocumentKind.TABLE, content, metadata)
    columns, values = table.columns.all(), _find_values(table)
    # Columns that are primary, or by which the table is joined to another.
    keys = {column.name for column in columns if column.is_primary_key}
    targets: dict[str, set[str]] = {}
    for relation in table.relations.all():
        for column_name in relation.columns if isinstance(relation.columns, list) else ():
            keys.add(str(column_name))
            targets.setdefault(str(column_name), set()).add(names.get(relation.target_id, ""))
    for column in columns:
        if column.gone_at is None:
            content = _describe_column(column, table, name, values.get(column.name, []))
            content |= _without_empty(refers_to=", ".join(sorted(targets.get(column.name, ()))))
            own = {**metadata, IS_KEY: True} if column.name in keys else metadata
            yield Document(_make_key(table, column), DocumentKind.COLUMN, content, own)


def _describe_column(
    column: CatalogColumn, table: CatalogTable, name: str, values: Sequence[str]
) -> dict[str, str]:
    """Its texts, with values of the sample; the first is shown, others that are words are searched."""
    # Judged again: people may have decided after the sample was read.
    shown = [] if column.masks_samples(table) else values
    words = (value for value in shown[1:] if value[0].isalpha())
    texts = [text for text in (column.display_name, column.shown_description) if text]
    return _without_empty(
        table=name,
        column_name=column.name,
        data_type=column.type_name,
        description=_cut(": ".join(texts)),
        example=next(iter(shown), ""),
        values=", ".join(words),
        **{TABLE_TITLE: _cut(table.display_name)},
    )


def _find_values(table: CatalogTable) -> dict[str, list[str]]:
    """By column, the different values of the sample that say something, in their order."""
    sample = table.sample if isinstance(table.sample, dict) else {}
    values: dict[str, list[str]] = {}
    for row in sample.get("rows", ()):
        for column, value in zip(sample.get("columns", ()), row, strict=False):
            if value not in (None, "", MASK):
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                known = values.setdefault(column, [])
                if (cut := _cut(text, MAX_EXAMPLE_CHARACTERS)) not in known:
                    known.append(cut)
    return values


def _cut(text: str, limit: int = MAX_DESCRIPTION_CHARACTERS) -> str:
    """The text on one line, at most `limit` characters of it."""
    line = " ".join(text[: 2 * MAX_DESCRIPTION_CHARACTERS].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _without_empty(**content: str) -> dict[str, str]:
    return {name: text for name, text in content.items() if text}


def _make_key(table: CatalogTable, column: CatalogColumn | None = None) -> str:
    """`catalogue:main_db/public.users.email`; what dots would make ambiguous is escaped."""
    parts = [part for part in (table.schema, table.name, column.name if column else "") if part]
    path = ".".join(part.replace("%", "%25").replace(".", "%2E") for part in parts)
    source = f"{CATALOG_PREFIX}{source_name_of(table)}"
    key = f"{source}/{path}"
    if len(key) <= MAX_KEY_CHARACTERS:
        return key
    return f"{source}/sha256:{sha256(key.encode()).hexdigest()}"
