"""Rows and cells of files of descriptions: texts that no spreadsheet runs, bytes from any of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import ImportFileError
from core.messages import message
from core.text_encodings import find_encoding

NAMES = ("datasource", "schema", "table", "column")
TEXTS = ("display_name", "description", "tags", "notes", "masked")
# Written for the reader; what an import says of them is ignored.
INFORMATION = ("type", "comment")
HEADER = (*NAMES, *INFORMATION, *TEXTS)
# A cell that is this clears the text; an empty one leaves it as it is.
CLEAR = "-"
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in a line of the file, counted from 1."""

    line: int
    text: str


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


def guard_cell(text: str) -> str:
    """The text behind an apostrophe where a spreadsheet would take it for a formula."""
    return f"'{text}" if _is_guarded(text) else text


def read_cell(cell: str) -> str:
    """The text that `guard_cell` made this of, or that a person wrote without one."""
    return cell[1:] if cell.startswith("'") and _is_guarded(cell[1:]) else cell


def _is_guarded(text: str) -> bool:
    # A leading apostrophe of the text itself gets one more, so that nothing is lost.
    return text.lstrip("'").lstrip(" ")[:1] in _FORMULA_STARTS


def decode_bytes(data: bytes) -> str:
    """The text of a file that a spreadsheet saved: UTF-8, UTF-16, CP949 or Shift_JIS.

    Raises ImportFileError where it is none of them.
    """
    try:
        return data.decode(find_encoding(data))
    except UnicodeDecodeError as error:
        raise ImportFileError(
            message("import.no_text", "the file is not text that can be read; save it as CSV UTF-8")
        ) from error


def refuse_size(limit_mb: int) -> ImportFileError:
    """Of a file that is larger than `limit_mb`, which is not read."""
    return ImportFileError(
        message("import.too_large", "the file has more than {limit} MB; split it", limit=limit_mb)
    )


def refuse_rows(limit: int) -> ImportFileError:
    """Of a file with more rows than `limit`, which are not read."""
    return ImportFileError(
        message(
            "import.too_many_rows_to_split",
            "the file has more than {limit} rows; split it",
            limit=limit,
        )
    )
