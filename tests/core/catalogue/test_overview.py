"""The overview tells of every table within its budget."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.catalogue.budgets import ANSWER_TOKENS, weigh_json
from core.catalogue.entries import TableSummary
from core.catalogue.overview import summaries_answer, tags_answer
from tests.core.catalogue.sales import SUMMARY, SUMMARY_ROW


def many(
    count: int, description: str = "", tags: Sequence[str] = ("売上", "daily")
) -> list[TableSummary]:
    return [
        TableSummary(
            name=f"table_{number}", description=description, tags=tuple(tags), row_count=number
        )
        for number in range(count)
    ]


def test_answer_has_the_keys_of_the_contract_in_order() -> None:
    answer = summaries_answer([SUMMARY], SUMMARY.tags)

    assert answer == {"tables": [SUMMARY_ROW], "total": 1}
    assert list(answer["tables"][0]) == list(SUMMARY_ROW)


def test_table_that_nobody_described_shows_its_name() -> None:
    answer = summaries_answer([TableSummary(name="stores")], ())

    assert answer["tables"] == [
        {
            "name": "stores",
            "display_name": "stores",
            "description": "",
            "tags": [],
            "row_count": None,
        }
    ]


def test_no_tables() -> None:
    assert summaries_answer([], ()) == {"tables": [], "total": 0}


def test_unknown_tag_names_those_that_exist() -> None:
    answer = summaries_answer([], {"売上", "マスタ"}, tag="売上げ")

    assert answer == {
        "tables": [],
        "total": 0,
        "known_tags": ["マスタ", "売上"],
        "notice": 'No table has the tag "売上げ"; did you mean 売上? known_tags lists those that exist.',
    }


@pytest.mark.parametrize(
    ("entries", "notice"),
    [
        pytest.param(many(700, "売上。" * 60), None, id="all fits"),
        pytest.param(
            many(700, "売上。" + "売" * 57 + "。"), "descriptions are shortened", id="shortened"
        ),
        pytest.param(many(1_500, "売" * 200), "descriptions are left out", id="no descriptions"),
        pytest.param(many(1_800, tags=["売上" * 6]), "descriptions and tags are", id="no tags"),
        pytest.param(many(2_500, "売" * 200), "display names that repeat", id="no repeated names"),
    ],
)
def test_answer_over_its_budget_tells_less_of_each_table(
    entries: list[TableSummary], notice: str | None
) -> None:
    answer = summaries_answer(entries, {"売上", "daily"})

    assert len(answer["tables"]) == answer["total"] == len(entries)
    assert weigh_json(answer) <= ANSWER_TOKENS
    assert "left_out" not in answer
    assert notice in answer["notice"] if notice else "notice" not in answer


def test_tables_beyond_the_budget_are_counted() -> None:
    answer = summaries_answer(many(5_000, "売" * 200), {"売上", "daily"})

    assert answer["total"] == 5_000
    assert answer["left_out"] == 5_000 - len(answer["tables"]) > 0
    assert ANSWER_TOKENS * 0.95 <= weigh_json(answer) <= ANSWER_TOKENS
    assert answer["notice"].startswith(
        f"To keep the answer within its size, {answer['left_out']} of 5000"
    )
    assert "filter by a tag" in answer["notice"]


@pytest.mark.parametrize(
    ("known", "tag", "advice"),
    [
        pytest.param((), None, "ask get_table_details for tables by name", id="no tags"),
        pytest.param(("daily",), "daily", "ask get_table_details for tables", id="only this tag"),
        pytest.param(("daily", "x"), "daily", "filter by a rarer tag", id="other tags"),
    ],
)
def test_notice_advises_what_helps(known: tuple[str, ...], tag: str | None, advice: str) -> None:
    answer = summaries_answer(many(5_000), known, tag)

    assert advice in answer["notice"]


def test_hostile_words_stay_within_the_budget() -> None:
    hostile = replace(SUMMARY, display_name="\x00" * 9_000, description='<b>"\n' * 30_000)

    answer = summaries_answer([hostile] * 1_000, SUMMARY.tags)

    assert weigh_json(answer) <= ANSWER_TOKENS


def test_tags_are_told_most_used_first() -> None:
    answer = tags_answer({"日次": 3, "マスタ": 8, "b": 3, "unused": 0})

    assert answer == {
        "tags": [
            {"name": "マスタ", "count": 8},
            {"name": "b", "count": 3},
            {"name": "日次", "count": 3},
        ]
    }
