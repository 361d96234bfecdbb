"""Uploaded files: what their columns are, and writing them as Parquet; in a process that does nothing else."""

import encodings.cp932
import encodings.cp949
import encodings.euc_kr
import encodings.utf_8_sig
import encodings.utf_16  # noqa: F401 - none of them could be imported later
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from core.errors import DataSourceError
from core.messages import message
from core.results import RowCollector
from core.text_encodings import JUDGED_BYTES, find_encoding
from core.toolspec import JsonValue
from gateways.cells import RowReader
from gateways.duckdb.columns import find_reader
from gateways.duckdb.errors import NOT_UTF_8
from gateways.duckdb.files import is_misread, quote_text, reading_sql, unpack_spreadsheet
from gateways.duckdb.messages import CHOSEN_TYPES, DuckdbOptions

COLUMN_LIMIT = 2_000
SAMPLE_ROWS = 20
_SAMPLE_CELL_LIMIT = 100
_SAMPLE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file that DuckDB can read: a spreadsheet is unpacked first, a text in another encoding written as UTF-8."""

    path: Path
    kind: str
    is_padded: bool = False

    def select(self, types: Mapping[str, str]) -> str:
        """The SQL that reads it, the columns of these names as these types."""
        cells = [
            f"CAST({_quote(name)} AS {kind}) AS {_quote(name)}" for name, kind in types.items()
        ]
        replaced = f" REPLACE ({', '.join(cells)})" if cells else ""
        source = reading_sql(self.kind, str(self.path), dict(types), is_padded=self.is_padded)
        return f"SELECT *{replaced} FROM {source}"  # noqa: S608 - quoted


def answer(
    connection: duckdb.DuckDBPyConnection, options: DuckdbOptions, request: Mapping[str, Any]
) -> JsonValue:
    """What the request asks: `guess` the columns of a file, or `convert` it."""
    upload = _open(options, Path(str(request["path"])), str(request["kind"]))
    described = connection.execute(f"{upload.select({})} LIMIT 0").description
    if is_misread(upload.kind, [str(name) for name, *_ in described]):
        upload = replace(upload, is_padded=True)
    if request["do"] == "guess":
        return _guess(connection, upload)
    types = {str(name): str(kind) for name, kind in request["types"].items()}
    if not set(types.values()) <= set(CHOSEN_TYPES):
        raise DataSourceError(message("files.unknown_type", "a column has an unknown type"))
    target = quote_text(str(request["target"]))
    row = connection.execute(
        f"COPY ({upload.select(types)}) TO {target} (FORMAT parquet, COMPRESSION zstd)"
    ).fetchone()
    return {"rows": int(row[0]) if row else 0}


def _open(options: DuckdbOptions, path: Path, kind: str) -> _Upload:
    unpacked = Path(options.temp_folder, "unpacked")
    if kind == "xlsx":
        unpack_spreadsheet(path, unpacked)
        return _Upload(unpacked, "csv")
    encoding = "utf-8" if kind == "parquet" else _judge(path)
    if encoding.startswith("utf-8"):
        return _Upload(path, kind)
    try:
        with (
            path.open(encoding=encoding, newline="") as text,
            unpacked.open("w", encoding="utf-8", newline="") as copy,
        ):
            shutil.copyfileobj(text, copy)
    except (UnicodeError, OSError) as error:
        raise DataSourceError(NOT_UTF_8) from error
    return _Upload(unpacked, kind)


def _judge(path: Path) -> str:
    """The encoding of the file's first lines that are not ASCII."""
    judged = b""
    with path.open("rb") as file:
        while len(judged) < JUDGED_BYTES and (line := file.readline(JUDGED_BYTES)):
            judged += b"" if line.isascii() else line
    return find_encoding(judged, is_cut=True)


def _guess(connection: duckdb.DuckDBPyConnection, upload: _Upload) -> JsonValue:
    sql = upload.select({})
    described = connection.execute(f"{sql} LIMIT 0").description
    columns = [(str(name), str(kind)) for name, kind, *_ in described]
    if any("\0" in name for name, _ in columns):
        # UTF-16 without its mark; no catalogue could keep such a name.
        raise DataSourceError(NOT_UTF_8)
    if len(columns) > COLUMN_LIMIT:
        raise DataSourceError(
            message(
                "files.too_many_columns",
                "the file has {count} columns; at most {limit} can be taken",
                count=len(columns),
                limit=COLUMN_LIMIT,
            )
        )
    readers = [find_reader(kind)(name, _SAMPLE_CELL_LIMIT) for name, kind in columns]
    names = [f"c{index}" for index in range(len(columns))]
    cells = ", ".join(
        reader.expression(name, _SAMPLE_CELL_LIMIT)
        for reader, name in zip(readers, names, strict=True)
    )
    rows = connection.execute(
        f"SELECT {cells} FROM ({sql} LIMIT {SAMPLE_ROWS}) AS sample({', '.join(names)})"  # noqa: S608
    ).fetchall()
    collector = RowCollector(row_limit=SAMPLE_ROWS, byte_limit=_SAMPLE_BYTES)
    RowReader(list(enumerate(readers)), collector).add(rows)
    return {"columns": columns, "rows": collector.rows}


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
