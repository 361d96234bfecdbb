"""Questions of the playground: kept from a chat or by hand, read from a file, taken from the search lab."""

import json
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Q

from catalog.exchange.spreadsheets import read_sheet
from core.errors import EditError
from core.json_text import to_storable
from core.messages import message
from core.retrieval.tokens import language_of
from toolbuilder.models import PlaygroundQuestion, SearchQuestion
from toolbuilder.search_lab.questions import LANGUAGES, expected_of

DEFAULT_SET = "Questions"
MAX_QUESTIONS = 200
MAX_QUESTION_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 80
NO_TOOL = "none"
COLUMNS = ("question", "expected", "arguments", "language")


def clean_set_name(text: str) -> str:
    """The name of a set as it is kept; one without a name is the default one."""
    return " ".join(to_storable(text).split())[:MAX_NAME_CHARACTERS] or DEFAULT_SET


def keep_question(
    set_name: str,
    text: str,
    *,
    expected: str,
    username: str,
    arguments: str = "",
    language: str = "",
) -> PlaygroundQuestion:
    """The question, now of that tool; '' or "none" is no tool, `arguments` a JSON object or ''.

    Raises EditError for an empty or too long one, for other arguments, and if there are too many.
    """
    cleaned = " ".join(to_storable(text).split())
    if not cleaned or len(cleaned) > MAX_QUESTION_CHARACTERS:
        raise EditError(
            message(
                "playground.question_length",
                "A question has 1 to {limit} characters.",
                limit=MAX_QUESTION_CHARACTERS,
            )
        )
    others = PlaygroundQuestion.objects.filter(set_name=set_name).exclude(text=cleaned)
    if others.count() >= MAX_QUESTIONS:
        raise EditError(
            message(
                "playground.too_many_questions",
                "A set has at most {limit} questions; remove some first.",
                limit=MAX_QUESTIONS,
            )
        )
    name = to_storable(expected).strip()
    values = {
        "expected": "" if name == NO_TOOL else name[:200],
        "arguments": _read_arguments(arguments),
        "language": language if language in LANGUAGES else language_of(cleaned),
    }
    question, _is_new = PlaygroundQuestion.objects.update_or_create(
        set_name=set_name,
        text=cleaned,
        defaults=values,
        create_defaults={**values, "created_by": username},
    )
    return question


def import_questions(data: bytes, set_name: str, username: str) -> int:
    """How many questions of a CSV file were kept: all of them, or none.

    Raises ImportFileError for what is no such file, EditError with the line's number for a bad line.
    """
    rows = read_sheet(data, COLUMNS[:2])
    with transaction.atomic():
        for row in rows:
            text, expected, arguments, language = (row.cells.get(name, "") for name in COLUMNS)
            try:
                keep_question(
                    set_name, text, expected=expected, arguments=arguments, username=username,
                    language=language,
                )  # fmt: skip
            except EditError as error:
                raise row.refuse(error) from error
    return len(rows)


@transaction.atomic
def take_from_lab(questions: Iterable[SearchQuestion], set_name: str, username: str) -> int:
    """How many saved questions of the search lab were kept, each with the first tool that it expects."""
    taken = [(question, expected_of(question)) for question in questions]
    chosen = [(question, names[0]) for question, names in taken if names]
    for question, name in chosen:
        keep_question(
            set_name, question.text, expected=name, username=username, language=question.language
        )
    return len(chosen)


def hide_questions(hidden: Iterable[str]) -> Q:
    """Of questions that expect none of the hidden tools."""
    return ~Q(expected__in=list(hidden))


def _read_arguments(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise EditError(
            message(
                "playground.arguments_form",
                "Expected arguments are a JSON object such as {example}, or nothing.",
                example='{"region": "JP"}',
            )
        )
    kept: dict[str, Any] = to_storable(arguments)
    return kept
