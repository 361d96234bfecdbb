"""A long text is cut where a reader would cut it, and never inside what is seen as one character."""

import unicodedata

import pytest

from core.catalogue.short_texts import cut_text, first_sentences

FAMILY = "👨‍👩‍👧"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param(" \n\t\n", "", id="blank"),
        pytest.param("One row per sale", "One row per sale", id="no full stop"),
        pytest.param("One. Two. Three.", "One. Two.", id="two of three"),
        pytest.param("売上。数量。更新。", "売上。数量。", id="Japanese"),
        pytest.param(
            "매출입니다. 수량도 있습니다. 끝.", "매출입니다. 수량도 있습니다.", id="Korean"
        ),
        pytest.param("「売上。」です。次。", "「売上。」です。", id="closing bracket"),
        pytest.param(
            "For B2B, e.g. in v1.2 only. Next", "For B2B, e.g. in v1.2 only. Next", id="dots"
        ),
        pytest.param("\n  First\tline \nsecond", "First line", id="first line"),
        pytest.param("one\u2028two", "one", id="line separator"),
        pytest.param("<b>Sales</b>. And more. End.", "<b>Sales</b>. And more.", id="markup"),
    ],
)
def test_first_sentences_of_the_first_line(text: str, short: str) -> None:
    assert first_sentences(text, 120) == short


def test_second_sentence_that_does_not_fit_is_left_out() -> None:
    assert first_sentences("Sales. " + "Word " * 40, 30) == "Sales."


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        pytest.param("short", 5, "short", id="fits"),
        pytest.param("sales by store and day", 16, "sales by store…", id="before a word"),
        pytest.param("가나다라마바사", 5, "가나다라…", id="Hangul"),
        pytest.param("ab" + FAMILY, 5, "ab…", id="joined emoji"),
        pytest.param("ab👍🏽c", 4, "ab…", id="skin tone"),
        pytest.param("🇰🇷🇯🇵🇺🇸", 4, "🇰🇷…", id="flags"),
        pytest.param("cafe\u0301s and", 5, "caf…", id="accent apart"),
        pytest.param(
            unicodedata.normalize("NFD", "가나각다"),
            7,
            unicodedata.normalize("NFD", "가나") + "…",
            id="letters of Hangul",
        ),
        pytest.param("ﾊﾞﾊﾞﾊﾞ", 4, "ﾊﾞ…", id="half-width kana"),
        pytest.param("\u0301" * 9, 4, "…", id="marks alone"),
    ],
)
def test_text_is_cut_between_characters(text: str, limit: int, cut: str) -> None:
    assert cut_text(text, limit) == cut


def test_comment_of_100_kilobytes_is_cut_to_its_beginning() -> None:
    assert first_sentences("売" * 100_000, 120) == "売" * 119 + "…"
