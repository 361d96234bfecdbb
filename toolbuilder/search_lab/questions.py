"""Saved questions: kept, exported as a file and read from one."""

from collections.abc import Iterable

from django.db import connection, transaction

from catalog.exchange.spreadsheets import read_sheet, write_sheet
from core.errors import EditError
from core.messages import message
from core.retrieval.tokens import language_of
from toolbuilder.models import PlaygroundQuestion, SearchQuestion

MAX_QUESTIONS = 500
MAX_QUESTION_CHARACTERS = 1_000
MAX_EXPECTED = 20
COLUMNS = ("question", "expected", "language")
LANGUAGES = ("ko", "ja", "en", "other")
# Any number that no other program of this database uses for its own lock.
_LOCK = 3_003_013


def save_question(
    text: str, expected: Iterable[str], username: str, language: str = ""
) -> SearchQuestion:
    """The question, now with these tools too; its language is read from its letters if none is given.

    Raises EditError for an empty or too long question, for no tools, and if there are too many.
    """
    cleaned = " ".join(text.replace("\0", "").split())
    if not cleaned:
        raise EditError(
            message("question.empty", "a question has words; write one as an agent would ask it")
        )
    if len(cleaned) > MAX_QUESTION_CHARACTERS:
        raise EditError(
            message(
                "question.too_long",
                "a question has at most {limit} characters",
                limit=MAX_QUESTION_CHARACTERS,
            )
        )
    names = _clean_names(expected)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        question = SearchQuestion.objects.filter(text=cleaned).first()
        if question is None:
            if SearchQuestion.objects.count() >= MAX_QUESTIONS:
                raise EditError(
                    message(
                        "question.too_many",
                        "at most {limit} questions are kept; remove some first",
                        limit=MAX_QUESTIONS,
                    )
                )
            question = SearchQuestion(text=cleaned, created_by=username)
        question.expected = _clean_names([*expected_of(question), *names])
        question.language = language if language in LANGUAGES else language_of(cleaned)
        question.save()
    return question


def rename_expected(old_name: str, new_name: str) -> None:
    """Let saved questions, those of the playground too, expect the tool by its new name."""
    for question in SearchQuestion.objects.filter(expected__contains=[old_name]):
        names = [new_name if name == old_name else name for name in expected_of(question)]
        question.expected = list(dict.fromkeys(names))
        question.save(update_fields=["expected"])
    PlaygroundQuestion.objects.filter(expected=old_name).update(expected=new_name)


def expected_of(question: SearchQuestion) -> list[str]:
    """The names of the expected tools, whatever other programs wrote there."""
    names = question.expected if isinstance(question.expected, list) else []
    return [name for name in names if isinstance(name, str) and name]


def export_questions(questions: Iterable[SearchQuestion]) -> str:
    """The questions as CSV for spreadsheets; names are parted by blanks."""
    rows = [
        [question.text, " ".join(expected_of(question)), question.language]
        for question in questions
    ]
    return write_sheet(COLUMNS, rows)


def import_questions(data: bytes, username: str) -> int:
    """How many questions of a CSV file were saved: all of them, or none.

    Raises ImportFileError for what is no such file, EditError with the line's number for a bad line.
    """
    rows = read_sheet(data, COLUMNS[:2])
    with transaction.atomic():
        for row in rows:
            question, expected, language = (row.cells.get(name, "") for name in COLUMNS)
            try:
                save_question(question, expected.replace(",", " ").split(), username, language)
            except EditError as error:
                raise row.refuse(error) from error
    return len(rows)


def _clean_names(names: Iterable[str]) -> list[str]:
    cleaned = list(dict.fromkeys(name.replace("\0", "").strip() for name in names))
    kept = [name for name in cleaned if name]
    if not kept:
        raise EditError(message("question.no_tool", "say which tool the search should find"))
    if len(kept) > MAX_EXPECTED:
        raise EditError(
            message(
                "question.too_many_tools", "at most {limit} tools are expected", limit=MAX_EXPECTED
            )
        )
    return kept
