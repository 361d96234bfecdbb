"""Words in one form for every script, and in letters that are alike where the words are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalogue.search_words import (
    encode_letters,
    find_alike,
    find_slips,
    find_words,
    fold_text,
    split_word,
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("  Sales\tSALES amount ", ["sales", "amount"], id="once-each"),
        pytest.param("(売上), ｔｏｔａｌ", ["売上", "total"], id="marks-and-width"),
        pytest.param("store_name", ["store_name"], id="mark-inside"),
        pytest.param("%%", ["%%"], id="only-marks"),
        pytest.param("\0 \n", [], id="none"),
        pytest.param("x" * 10_000, ["x" * 200], id="long"),
        pytest.param(" ".join("abcdefghij"), list("abcdefgh"), id="many"),
    ],
)
def test_words_of_a_query(query: str, words: list[str]) -> None:
    assert find_words(query) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("트랜잭션", "트렌젝션", id="vowels"),
        pytest.param("店舗マスタ", "店舗マスター", id="length-mark"),
        pytest.param("トランザクション", "とらんざくしょん", id="kana"),
        pytest.param("Café", "cafe", id="accent"),
    ],
)
def test_what_people_mix_up_has_the_same_letters(one: str, other: str) -> None:
    assert encode_letters(fold_text(one)) == encode_letters(fold_text(other))


def test_different_words_have_different_letters() -> None:
    words = ["売上", "店舗", "매출", "재고", "sales", "マスタ"]

    assert len({encode_letters(word) for word in words}) == len(words)


@given(st.text(), st.text(min_size=1), st.text())
def test_letters_of_a_part_are_part_of_the_letters(before: str, part: str, after: str) -> None:
    folded = fold_text(part)

    assert encode_letters(folded) in encode_letters(fold_text(before) + folded + fold_text(after))


@given(st.text())
def test_letters_are_what_every_locale_knows(text: str) -> None:
    assert encode_letters(fold_text(text)).replace(" ", "x").isalnum() or not encode_letters(
        fold_text(text)
    )
    assert encode_letters(fold_text(text)).isascii()


@pytest.mark.parametrize(
    ("word", "texts", "found"),
    [
        pytest.param("trasactions", ["sales transactions"], ["transactions"], id="english"),
        pytest.param("매츨", ["일별 매출 요약"], ["매출"], id="korean"),
        pytest.param("사용자이메일", ["사용자 이메일"], ["사용자 이메일"], id="space"),
        pytest.param("invoice", ["weather report"], [], id="nothing-alike"),
    ],
)
def test_words_alike_are_found(word: str, texts: list[str], found: list[str]) -> None:
    assert find_alike(word, texts)[:1] == found


def test_neighbours_are_exchanged_in_short_words_only() -> None:
    assert find_slips("nmae") == ["mnae", "name", "nmea"]
    assert find_slips("ab") == find_slips("transactions") == []


def test_word_is_split_where_its_parts_say_something() -> None:
    assert split_word("revenue_forecast") == ["revenue", "forecast"]
    assert split_word("a_b") == ["a_b"]
    assert split_word("%") == ["%"]
