"""The recorded questions: found in any spelling, listed by language."""

import pytest

from agents.data_search.languages import Language, detect_language
from agents.data_search.recordings import find_replies, list_questions
from tests.agents.e2e.record import QUESTIONS


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("How many orders are in each status?", id="as-recorded"),
        pytest.param("  how many ORDERS are in\neach status ", id="case-and-blanks"),
        pytest.param("How many orders are in each status？", id="full-width"),
    ],
)
def test_question_is_found_in_any_spelling(question: str) -> None:
    replies = find_replies(question)

    assert replies
    assert "FROM public.orders" in replies["sql_generator"][0]["text"]


def test_other_question_is_not_found() -> None:
    assert find_replies("How many orders are in each state?") is None


@pytest.mark.parametrize("language", ["ko", "ja", "en"])
def test_questions_are_listed_by_language(language: Language) -> None:
    questions = list_questions(language)

    assert questions == [topic[language] for topic in QUESTIONS.values()]
    assert {detect_language(question) for question in questions} == {language}
