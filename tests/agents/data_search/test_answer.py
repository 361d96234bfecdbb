"""The last step, which tells rows, SQL and files."""

from typing import Any

import pytest

from agents.data_search.answer import compose_answer
from agents.data_search.languages import Language

_ALL = ["column_extraction", "column_standardization", "sql_generation"]


def _done(**result: Any) -> dict[str, Any]:
    return {"done_stages": _ALL, "query_result": {"sql": "SELECT 1", "artifacts": [], **result}}


def test_rows_sql_and_files_are_told() -> None:
    result = _done(row_count=1234, first_rows=[{"n": 1}] * 5, artifacts=["a.csv", "a.xlsx"])

    text = compose_answer(result, "en")

    assert text.startswith("| n |\n| --- |\n| 1 |")
    assert "5 of 1,234 rows" in text
    assert "```sql\nSELECT 1\n```" in text
    assert text.endswith("Files: `a.csv`, `a.xlsx`")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (_done(row_count=0, first_rows=[]), "found no rows"),
        (_done(row_count=9, first_rows=[{"n": 1}], truncated=True), "the first 9 rows only"),
        (_done(row_count=200_000, first_rows=[{"n": 1}], is_cut=True), "first 100,000 of 200,000"),
        (_done(row_count=1, first_rows=[{"n": 1}]), "could not be saved"),
        (_done(is_image=True), "The result is an image"),
        (_done(markdown="| a |"), "| a |"),
    ],
    ids=["no-rows", "truncated", "cut", "unsaved", "image", "markdown"],
)
def test_what_is_special_is_said(result: dict[str, Any], words: str) -> None:
    assert words in compose_answer(result, "en")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "writing and running the SQL"), ("ko", "SQL 작성과 실행"), ("ja", "SQLの作成と実行")],
)
def test_an_exhausted_stage_is_named_with_its_reason(language: Language, words: str) -> None:
    state = {"done_stages": _ALL[:2], "sql_feedback": "no such column\nx", "query_result": None}

    text = compose_answer(state, language)

    assert words in text
    assert "no such column x" in text


def test_a_fault_is_told_before_all_else() -> None:
    text = compose_answer({"run_error": "server_refused", "done_stages": []}, "en")

    assert text.startswith("The tool server refuses the key.")


def test_without_a_reason_the_model_is_to_blame() -> None:
    assert "모델이 쓸 수 있는 답을 주지 않았습니다" in compose_answer({}, "ko")
