"""Files of descriptions, read: what a CSV or YAML file says of tables and columns, with its lines."""

import csv
from collections.abc import Sequence
from pathlib import PurePath
from typing import IO

from django.conf import settings
from django.utils.translation import gettext as _

from catalog.exchange.cells import (
    CLEAR,
    HEADER,
    NAMES,
    TEXTS,
    Fault,
    FileContent,
    FileRow,
    decode_bytes,
    read_cell,
    refuse_rows,
    refuse_size,
)
from catalog.exchange.spreadsheets import open_csv, with_lines
from catalog.exchange.yaml_files import add_yaml_rows
from core.errors import ImportFileError
from core.messages import message

_SYNONYMS = {
    "source": "datasource",
    "data_source": "datasource",
    "table_name": "table",
    "column_name": "column",
    "data_type": "type",
    "is_masked": "masked",
}


def read_file(file: IO[bytes], file_name: str) -> FileContent:
    """What the file says; its name's ending tells YAML from CSV.

    Reads no further than CATALOG_IMPORT_MAX_MB and CATALOG_IMPORT_MAX_ROWS. Raises ImportFileError
    for a file that is larger, no text, or without a table column.
    """
    limit_mb = settings.CATALOG_IMPORT_MAX_MB
    data = file.read(limit_mb * 10**6 + 1)
    if len(data) > limit_mb * 10**6:
        raise refuse_size(limit_mb)
    text = decode_bytes(data)
    is_yaml = PurePath(file_name).suffix.lower() in {".yaml", ".yml"}
    content = FileContent()
    if is_yaml:
        add_yaml_rows(text, content)
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
