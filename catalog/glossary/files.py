"""The glossary as a file for spreadsheets."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from catalog.editing.texts import clean_text
from catalog.exchange.spreadsheets import SheetRow, read_sheet, write_sheet
from catalog.glossary.concepts import (
    LANGUAGES,
    GlossaryEntry,
    join_terms,
    make_entry,
    read_entries,
    write_concepts,
)
from core.errors import EditError
from core.messages import message

COLUMNS = ("key", *LANGUAGES, "note", "in_use")
_YES = frozenset({"yes", "true", "1", "y", "o", "예", "はい"})
_NO = frozenset({"no", "false", "0", "n", "x", "아니요", "いいえ"})


def export_glossary() -> str:
    """All concepts as CSV."""
    return write_sheet(
        COLUMNS,
        [
            [
                entry.key,
                *(join_terms(entry.terms.get(language, ())) for language in LANGUAGES),
                entry.note,
                "yes" if entry.is_active else "no",
            ]
            for entry in read_entries()
        ],
    )


def import_glossary(data: bytes, username: str) -> int:
    """How many concepts a CSV file added or changed: all that differ, or none.

    A concept that the file does not name stays; so does what a column would say that it does not have.
    Raises ImportFileError for what is no such file, EditError with the line's number for a bad line.
    """
    rows = read_sheet(data, COLUMNS[:1])

    def make_entries(present: Mapping[str, GlossaryEntry]) -> Collection[GlossaryEntry]:
        entries: dict[str, GlossaryEntry] = {}
        for row in rows:
            try:
                entry = _to_entry(row, present)
            except EditError as error:
                raise row.refuse(error) from error
            if entry.key in entries:
                twice = message(
                    "glossary.key_twice", "{key} stands in the file twice", key=entry.key
                )
                raise row.refuse(EditError(twice))
            entries[entry.key] = entry
        return entries.values()

    return write_concepts(make_entries, username)


def _to_entry(row: SheetRow, present: Mapping[str, GlossaryEntry]) -> GlossaryEntry:
    """The concept of a row; what the file has no column for is as it was."""
    kept = present.get(row.cells["key"].strip().lower())
    terms = {
        language: join_terms(kept.terms.get(language, ())) if kept else "" for language in LANGUAGES
    }
    terms |= {name: row.cells[name] for name in LANGUAGES if name in row.cells}
    use = row.cells.get("in_use", "").strip().lower()
    if use and use not in _YES | _NO:
        raise EditError(
            message("glossary.in_use", "in_use is yes or no, not {said}", said=use[:30])
        )
    return replace(
        make_entry(row.cells["key"], terms),
        note=clean_text("description", row.cells.get("note", kept.note if kept else "")),
        is_active=use in _YES if use else kept is None or kept.is_active,
    )
