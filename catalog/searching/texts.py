"""What tables are found by: one folded text each, its first lines the name, display name and tags."""

from collections.abc import Collection, Iterable, Iterator

from django.db import connection
from django.db.models import Prefetch

from catalog.models import CatalogColumn, CatalogTable
from core.catalogue.search_words import encode_letters, fold_text

MAX_TEXT_CHARACTERS = 20_000
# So much of one text is searched; a comment of 100 kB would push out everything behind it.
MAX_LINE_CHARACTERS = 3_000
# The search looks for these by number, so they are there even when empty.
HEAD_LINES = 3
TABLES_TOGETHER = 500

_UPDATE = """
    UPDATE h_catalog_table AS kept SET search_text = found.text
    FROM unnest(%s::bigint[], %s::text[]) AS found (id, text)
    WHERE kept.id = found.id AND kept.search_text <> found.text
"""


def build_search_text(table: CatalogTable, columns: Iterable[CatalogColumn]) -> str:
    """All words of a table and its columns, most important first, at most 20,000 characters.

    A line that is not ASCII is followed, behind a tab, by its letters for trigrams.
    """
    lines: list[str] = []
    length = 0
    for text in _texts(table, list(columns)):
        line = fold_text(text[:MAX_LINE_CHARACTERS])
        if not line.isascii():
            line = f"{line}\t{encode_letters(line)}"
        if len(lines) >= HEAD_LINES and not line:
            continue
        if length + len(line) + 1 > MAX_TEXT_CHARACTERS:
            break
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def refresh_search_texts(table_ids: Collection[int]) -> int:
    """Make the search texts of these tables what their rows say; how many were not.

    Nothing else of the rows changes, `updated_at` neither.
    """
    ids, count = sorted(table_ids), 0
    columns = Prefetch("columns", CatalogColumn.objects.filter(gone_at=None))
    for start in range(0, len(ids), TABLES_TOGETHER):
        tables = CatalogTable.objects.filter(pk__in=ids[start : start + TABLES_TOGETHER])
        texts = {
            table.pk: build_search_text(table, table.columns.all())
            for table in tables.prefetch_related("tags", columns)
        }
        with connection.cursor() as cursor:
            cursor.execute(_UPDATE, [list(texts), list(texts.values())])
            count += cursor.rowcount
    return count


def _texts(table: CatalogTable, columns: list[CatalogColumn]) -> Iterator[str]:
    """What is searched, most important first."""
    yield table.name
    yield table.display_name
    yield " ".join(tag.name for tag in table.tags.all())
    yield table.description
    yield table.source_comment
    # Names of columns in lines short enough to be searched whole.
    line = ""
    for column in columns:
        names = f"{column.name} {column.display_name}".strip()
        if len(line) + len(names) >= MAX_LINE_CHARACTERS:
            yield line
            line = ""
        line = f"{line} {names}".lstrip()
    yield line
    yield table.notes
    for column in columns:
        yield column.description
        yield column.source_comment
    yield table.schema
