"""Short numbers and found words in the catalogue's templates."""

import pytest
from django.utils import translation

from access.templatetags.formats import short_number
from catalog.templatetags.catalog import breakable, marked


@pytest.mark.parametrize(
    ("language", "value", "expected"),
    [
        ("en", 0, "0"),
        ("en", 9876, "9,876"),
        ("en", 12_345, "12K"),
        ("en", 1_234_567, "1.2M"),
        ("en", 5_000_000_000, "5B"),
        ("ko", 1_234_567, "123만"),
        ("ko", 500_000_000, "5억"),
        ("ja", 12_345, "1.2万"),
    ],
)
def test_numbers_are_short_in_each_language(language: str, value: int, expected: str) -> None:
    with translation.override(language):
        assert short_number(value) == expected


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Sales of a day", "sales", "<mark>Sales</mark> of a day"),
        ("<b> & sales", "sales <b>", "<mark>&lt;b&gt;</mark> &amp; <mark>sales</mark>"),
        ("売上データ", "売上", "<mark>売上</mark>データ"),
        ("a.b", ".", "a<mark>.</mark>b"),
        ("<i>", "", "&lt;i&gt;"),
    ],
    ids=["case", "html", "japanese", "pattern", "no query"],
)
def test_found_words_are_marked_and_all_is_escaped(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


def test_name_may_be_broken_behind_its_underscores_marked_or_not() -> None:
    assert breakable(marked("daily_sales", "")) == "daily_<wbr>sales"
    assert breakable(marked("daily_<b>", "daily_")) == "<mark>daily_<wbr></mark>&lt;b&gt;"
