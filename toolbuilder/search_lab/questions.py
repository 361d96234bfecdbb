"""Saved questions: kept, exported as a file and read from one."""

import csv
from collections.abc import Iterable
from io import StringIO

from django.db import connection, transaction
from django.utils.translation import gettext as _

from catalog.exchange.cells import decode_bytes, read_cell
from core.errors import EditError, ImportFileError
from core.formatting import format_csv
from core.retrieval.tokens import language_of
from toolbuilder.lab_models import SearchQuestion

MAX_QUESTIONS = 500
MAX_QUESTION_CHARACTERS = 1_000
MAX_EXPECTED = 20
MAX_FILE_BYTES = 2_000_000
COLUMNS = ("question", "expected", "language")
LANGUAGES = ("ko", "ja", "en", "other")
# Any number that no other program of this database uses for its own lock.
_LOCK = 3_003_013


def save_question(
    text: str, expected: Iterable[str], username: str, language: str = ""
) -> SearchQuestion:
    """The question, now with these tools too; its language is read from its letters where none is given.

    Raises EditError for an empty or too long question, for no tools, and where there are too many.
    """
    cleaned, names = _clean_text(text), _clean_names(expected)
    with transaction.atomic():
        _lock()
        question = SearchQuestion.objects.filter(text=cleaned).first()
        if question is None:
            _require_room(1)
            question = SearchQuestion(text=cleaned, created_by=username)
        question.expected = _clean_names([*expected_of(question), *names])
        question.language = language if language in LANGUAGES else language_of(cleaned)
        question.save()
    return question


def expected_of(question: SearchQuestion) -> list[str]:
    """The names of the expected tools, whatever other programs wrote there."""
    names = question.expected if isinstance(question.expected, list) else []
    return [name for name in names if isinstance(name, str) and name]


def export_questions() -> str:
    """All questions as CSV for spreadsheets; names are parted by blanks."""
    rows = [
        [one.text, " ".join(expected_of(one)), one.language] for one in SearchQuestion.objects.all()
    ]
    # The mark makes spreadsheets read Korean and Japanese as UTF-8.
    return "\ufeff" + format_csv(COLUMNS, rows)


def import_questions(data: bytes, username: str) -> int:
    """How many questions of a CSV file were saved: all of them, or none.

    Raises ImportFileError for what is no such file, EditError with the line's number for a bad line.
    """
    rows = _read_rows(data)
    with transaction.atomic():
        for number, row in enumerate(rows, start=2):
            question, expected, language = ([*map(read_cell, row), "", "", ""])[:3]
            try:
                save_question(question, expected.replace(",", " ").split(), username, language)
            except EditError as error:
                raise EditError(
                    _("line %(number)s: %(reason)s") % {"number": number, "reason": str(error)}
                ) from error
    return len(rows)


def _read_rows(data: bytes) -> list[list[str]]:
    if len(data) > MAX_FILE_BYTES:
        text = _("the file has more than %(limit)s MB; split it")
        raise ImportFileError(text % {"limit": MAX_FILE_BYTES // 10**6})
    try:
        lines = list(csv.reader(StringIO(decode_bytes(data).lstrip("\ufeff")), strict=True))
    except csv.Error as error:
        raise ImportFileError(_("the file is no CSV file that can be read")) from error
    header = [cell.strip().lower() for cell in lines[0]] if lines else []
    if tuple(header[:2]) != COLUMNS[:2]:
        raise ImportFileError(_("the first line has to be: question,expected,language"))
    return [line for line in lines[1:] if any(cell.strip() for cell in line)]


def _clean_text(text: str) -> str:
    cleaned = " ".join(text.replace("\0", "").split())
    if not cleaned:
        raise EditError(_("a question has words; write one as an agent would ask it"))
    if len(cleaned) > MAX_QUESTION_CHARACTERS:
        raise EditError(
            _("a question has at most %(limit)s characters") % {"limit": MAX_QUESTION_CHARACTERS}
        )
    return cleaned


def _clean_names(names: Iterable[str]) -> list[str]:
    cleaned = list(dict.fromkeys(name.replace("\0", "").strip() for name in names))
    kept = [name for name in cleaned if name]
    if not kept:
        raise EditError(_("say which tool the search should find"))
    if len(kept) > MAX_EXPECTED:
        raise EditError(_("at most %(limit)s tools are expected") % {"limit": MAX_EXPECTED})
    return kept


def _require_room(count: int) -> None:
    if SearchQuestion.objects.count() + count > MAX_QUESTIONS:
        raise EditError(
            _("at most %(limit)s questions are kept; remove some first") % {"limit": MAX_QUESTIONS}
        )


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
