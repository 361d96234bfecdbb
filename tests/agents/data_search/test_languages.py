"""The language of a question."""

import pytest

from agents.data_search.languages import Language, detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("지역별 매출", "ko"),
        ("地域別の売上", "ja"),
        ("月別売上", "ja"),
        ("sales by region", "en"),
        ("東京 매장", "ko"),
        ("", "en"),
    ],
    ids=["hangul", "kana", "ideographs", "latin", "mixed", "empty"],
)
def test_language_is_that_of_the_script(text: str, language: Language) -> None:
    assert detect_language(text) == language
