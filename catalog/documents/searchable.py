"""Reference documents as the search for columns knows them, read as far as they changed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from catalog.models import DocumentKind, ReferenceDocument
from core.retrieval.column_texts import ColumnDocument, ColumnTable, column_text

ROWS_TOGETHER = 500
# Says of a document's metadata that its column is primary or refers to another table.
IS_KEY = "is_key"
# Of a column's content: what people call its table; embedded with the column, and not shown.
TABLE_TITLE = "table_title"

Content = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DocumentStamp:
    """What tells a document from its earlier self, and its vector from an earlier one."""

    content_hash: str
    updated_at: datetime
    indexed_hash: str
    indexed_with: str

    @property
    def of_words(self) -> tuple[str, datetime]:
        """Another one after each change of the document."""
        return self.content_hash, self.updated_at

    @property
    def of_vector(self) -> tuple[str, str]:
        """Another one after each change of its vector; two empty texts where there is none."""
        return self.indexed_hash, self.indexed_with


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document: what is searched of it, and the text that it is answered with.

    `table` is what a table's own document tells of it, None for any other.
    """

    column: ColumnDocument
    text: str
    table: ColumnTable | None = None


def embedded_text(row: ReferenceDocument) -> str:
    """What is embedded of a document: of a column `column_text`, of any other what is served."""
    content = _content_of(row)
    if row.kind != DocumentKind.COLUMN or not content:
        return row.text
    title = content.get(TABLE_TITLE, "")
    table = ColumnTable(row.table_name, title)
    described = content.get("description", "")
    return column_text(ColumnDocument(table=table, name=row.column_name, description=described))


def read_documents_revision() -> str:
    """Another text after each change of a document or of its vector; one query that reads no text."""
    found = ReferenceDocument.objects.aggregate(
        count=Count("pk"), updated=Max("updated_at"), indexed=Max("indexed_at")
    )
    return f"{found['count']} {found['updated']} {found['indexed']}"


def read_stamps() -> dict[str, DocumentStamp]:
    """The stamps of all documents by key."""
    columns = ("key", "content_hash", "updated_at", "indexed_hash", "indexed_with")
    rows = ReferenceDocument.objects.values_list(*columns)
    return {key: DocumentStamp(*stamp) for key, *stamp in rows.iterator(ROWS_TOGETHER)}


def read_searchable(keys: Collection[str]) -> list[StoredDocument]:
    """These documents, tables side by side; keys without one are left out."""
    ordered = sorted(keys)
    found = (
        row
        for start in range(0, len(ordered), ROWS_TOGETHER)
        for row in ReferenceDocument.objects.filter(key__in=ordered[start : start + ROWS_TOGETHER])
    )
    documents = map(_to_stored, found)
    return sorted(documents, key=lambda stored: (stored.column.table.name, stored.column.key))


def _to_stored(row: ReferenceDocument) -> StoredDocument:
    content, table = _content_of(row), ColumnTable("")
    name, searched = "", [row.text]
    match row.kind if content else "":
        case DocumentKind.COLUMN:
            name, fields = row.column_name, ("description", "example", "values")
            searched = [content.get(field, "") for field in fields]
            table = ColumnTable(row.table_name, content.get(TABLE_TITLE, ""))
        case DocumentKind.TABLE:
            searched = [content.get(field, "") for field in ("description", "tags", "notes")]
            title, description = content.get("display_name", ""), content.get("description", "")
            table = ColumnTable(row.table_name, title, description)
        case DocumentKind.QUERY:
            searched = [content.get(field, "") for field in ("question", "sql")]
    metadata = row.metadata if isinstance(row.metadata, dict) else {}
    column = ColumnDocument(
        table=table,
        name=name,
        description="\n".join(filter(None, searched)),
        is_key=metadata.get(IS_KEY) is True,
        key=row.key,
        refers_to=tuple(filter(None, content.get("refers_to", "").split(", "))),
    )
    is_table = bool(content) and row.kind == DocumentKind.TABLE
    return StoredDocument(column, row.text, table if is_table else None)


def _content_of(row: ReferenceDocument) -> Content:
    """The texts of a row's content; other programs may have written anything."""
    content = row.content if isinstance(row.content, dict) else {}
    return {name: text for name, text in content.items() if isinstance(text, str)}
