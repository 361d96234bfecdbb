"""Dates, durations and shares as every page writes them."""

from datetime import UTC, datetime

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from access.templatetags.formats import byte_size, milliseconds, moment, percent, signed

AT = datetime(2026, 11, 22, 6, 5, 56, 307800, tzinfo=UTC)


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
@pytest.mark.parametrize(
    ("precision", "shown"),
    [
        ("day", "2026-11-22"),
        ("minutes", "2026-11-22 15:05"),
        ("seconds", "2026-11-22 15:05:56"),
        ("clock", "15:05:56"),
    ],
)
def test_moment_is_written_the_same_in_each_language(
    language: str, precision: str, shown: str
) -> None:
    with timezone.override("Asia/Seoul"), translation.override(language):
        drawn = moment(AT, precision)

    assert f">{shown}</time>" in drawn
    assert 'title="2026-11-22 15:05:56 KST"' in drawn


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.412, "0.41 ms"),
        (3.96, "4.0 ms"),
        (12.4, "12 ms"),
        (3_240, "3.2 s"),
        (30_000, "30 s"),
        (1_800_000, "1,800 s"),
    ],
)
def test_duration_has_few_digits(value: float | None, shown: str) -> None:
    with translation.override("en"):
        assert milliseconds(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0 B"), (999, "999 B"), (1_536, "1.5 KB"), (1_000_000, "1 MB"), (50_000_000, "50 MB")],
)
def test_size_is_what_was_set(value: int, shown: str) -> None:
    with translation.override("en"):
        assert byte_size(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(0.0, "0 %"), (2.54, "2.5 %"), (66.7, "67 %")])
def test_share_has_few_digits(value: float, shown: str) -> None:
    with translation.override("en"):
        assert percent(value) == shown


def test_change_has_its_sign_and_is_rounded() -> None:
    with translation.override("en"):
        assert (signed(-66.7), signed(0.25, 2)) == ("−67", "+0.25")


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("en", "{{ n }}", "352,942"),
        ("en", "{% compact n %}", '<span title="352,942">353K</span>'),
        ("ko", "{% compact n %}", '<span title="352,942">35만</span>'),
        ("ko", "{% load i18n %}{% blocktranslate %}{{ n }} rows{% endblocktranslate %}", "352,942 rows"),
    ],
    ids=["plain", "compact", "korean", "sentence"],
)  # fmt: skip
def test_digits_are_grouped(language: str, text: str, shown: str) -> None:
    with translation.override(language):
        assert Template(text).render(Context({"n": 352_942})) == shown
