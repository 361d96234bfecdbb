"""Rows of files of descriptions: what a CSV or YAML file says of tables and columns, with its lines."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO

from django.conf import settings
from django.utils.translation import gettext as _

from catalog.exchange.cells import CLEAR, decode_bytes, read_cell, refuse_rows
from catalog.exchange.spreadsheets import open_csv, with_lines
from catalog.exchange.yaml_files import Fault, read_yaml_tables
from core.errors import ImportFileError
from core.messages import message

NAMES = ("datasource", "schema", "table", "column")
TEXTS = ("display_name", "description", "tags", "notes", "masked")
# Written for the reader; what an import says of them is ignored.
INFORMATION = ("type", "comment")
HEADER = (*NAMES, *INFORMATION, *TEXTS)
_SYNONYMS = {
    "source": "datasource",
    "data_source": "datasource",
    "table_name": "table",
    "column_name": "column",
    "data_type": "type",
    "is_masked": "masked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """What the file says of a table, or of one of its columns.

    `source` and `schema` are None where it does not say them. `texts` has what is to be written, ''
    to clear; `blank` are the texts that it leaves as they are.
    """

    line: int
    table: str
    column: str = ""
    source: str | None = None
    schema: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    blank: tuple[str, ...] = ()


@dataclass(slots=True)
class FileContent:
    """All rows of a file in their order, what was wrong, and the columns that are not ours."""

    rows: list[FileRow] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def read_file(file: IO[bytes], file_name: str) -> FileContent:
    """What the file says; its name's ending tells YAML from CSV.

    Reads no further than CATALOG_IMPORT_MAX_MB and CATALOG_IMPORT_MAX_ROWS. Raises ImportFileError
    for a file that is larger, no text, or without a table column.
    """
    limit_mb = settings.CATALOG_IMPORT_MAX_MB
    data = file.read(limit_mb * 10**6 + 1)
    if len(data) > limit_mb * 10**6:
        raise ImportFileError(
            message(
                "import.too_large", "the file has more than {limit} MB; split it", limit=limit_mb
            )
        )
    text = decode_bytes(data)
    is_yaml = PurePath(file_name).suffix.lower() in {".yaml", ".yml"}
    content = FileContent()
    if is_yaml:
        _add_yaml(text, content)
    else:
        _add_csv(text, content)
    if len(content.rows) > settings.CATALOG_IMPORT_MAX_ROWS:
        raise refuse_rows(settings.CATALOG_IMPORT_MAX_ROWS)
    return content


def _add_csv(text: str, content: FileContent) -> None:
    reader = open_csv(text)
    try:
        header = _read_header(next(reader, []), content)
        for count, (line, cells) in enumerate(with_lines(reader)):
            if count == settings.CATALOG_IMPORT_MAX_ROWS:
                raise refuse_rows(settings.CATALOG_IMPORT_MAX_ROWS)
            _add_cells(content, line, header, cells)
    except csv.Error as error:
        text = _("the file is not CSV from here on: %(why)s") % {"why": error}
        content.faults.append(Fault(getattr(reader, "line_num", 0), text))


def _read_header(cells: Sequence[str], content: FileContent) -> list[str]:
    header = []
    for cell in cells:
        name = cell.strip().casefold().replace(" ", "_").replace("-", "_")
        header.append(_SYNONYMS.get(name, name))
    if "table" not in header:
        raise ImportFileError(
            message(
                "import.table_column",
                "the first line has to name the columns, one of which is table: {names}",
                names=", ".join(HEADER),
            )
        )
    if twice := [name for name in HEADER if header.count(name) > 1]:
        raise ImportFileError(
            message("import.column_twice", "the first line names {name} twice", name=twice[0])
        )
    content.ignored = [
        cell.strip()
        for cell, name in zip(cells, header, strict=True)
        if name not in HEADER and cell.strip()
    ]
    return header


def _add_cells(content: FileContent, line: int, header: list[str], cells: list[str]) -> None:
    if any(map(str.strip, cells[len(header) :])):
        content.faults.append(
            Fault(
                line,
                _("there are %(count)s cells, but the first line names %(named)s")
                % {"count": len(cells), "named": len(header)},
            )
        )
        return
    given = dict(zip(header, cells, strict=False))
    names = {name: read_cell(given[name]) for name in NAMES if name in given}
    if not names["table"]:
        content.faults.append(Fault(line, _("the table is missing")))
        return
    texts = {name: given[name] for name in TEXTS if name in given}
    content.rows.append(
        FileRow(
            line=line,
            table=names["table"],
            column=names.get("column", ""),
            source=names.get("datasource", "").strip() or None,
            # The column is there, so an empty one says that the engine has no schemas, or nothing.
            schema=names.get("schema") or None,
            texts={
                name: "" if cell.strip() == CLEAR else read_cell(cell)
                for name, cell in texts.items()
                if cell.strip()
            },
            blank=tuple(name for name, cell in texts.items() if not cell.strip()),
        )
    )


def _add_yaml(text: str, content: FileContent) -> None:
    ignored: dict[str, None] = {}
    for table in read_yaml_tables(text):
        if isinstance(table, Fault):
            content.faults.append(table)
            continue
        for part in (table, *table.columns):
            texts = {name: text for name, text in part.texts.items() if name in TEXTS}
            content.rows.append(
                FileRow(
                    line=part.line,
                    table=table.name,
                    column=part.name if part is not table else "",
                    source=table.source,
                    schema=table.schema,
                    texts={name: text for name, text in texts.items() if text is not None},
                    blank=tuple(name for name, text in texts.items() if text is None),
                )
            )
            ignored |= dict.fromkeys(name for name in part.texts if name not in HEADER)
    content.ignored = list(ignored)
