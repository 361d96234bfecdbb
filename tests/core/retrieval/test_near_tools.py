"""Tools that answer the same questions are named with what tells them apart."""

from dataclasses import replace

import pytest

from core.retrieval.index import ToolIndex
from core.retrieval.model import Tool, ToolParameter
from core.retrieval.near_tools import (
    NearTool,
    Probe,
    describe_apart,
    find_near_tools,
    offer_text,
    tell_labels,
)
from core.retrieval.tool_texts import IndexEntry
from tests.core.retrieval.catalogue import DELETES, READS, TOOLS, make_index, parameter

BY_WEEK = Tool(
    "sales_by_week",
    "",
    "Returns the sales totals of stores by week.",
    (parameter("week"), parameter("region")),
    READS,
)
BY_MONTH = Tool(
    "sales_by_month",
    "",
    "Returns the sales totals of stores by month.",
    (parameter("month"), parameter("region")),
    READS,
)


def near(index: ToolIndex, name: str) -> list[NearTool]:
    return find_near_tools(index, name)


def test_near_tool_is_named_with_the_words_of_each_alone() -> None:
    [found] = near(make_index(*TOOLS, BY_WEEK, BY_MONTH), "sales_by_week")

    assert (found.name, found.own_words, found.other_words) == (
        "sales_by_month",
        ("week",),
        ("month",),
    )
    assert 0.6 <= found.likeness < 1


def test_twin_has_no_word_of_its_own_and_no_text_is_offered() -> None:
    twin = Tool("sales_by_weeks", "", BY_WEEK.description, BY_WEEK.parameters, READS)
    index = make_index(*TOOLS, BY_WEEK, twin)

    [found] = near(index, "sales_by_week")

    assert (found.own_words, found.other_words) == ((), ())
    assert offer_text(index, IndexEntry(BY_WEEK), found, []) is None


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Tool("delete_sales_by_week", "", "Deletes the sales totals of stores by week.", (), DELETES), id="deletes"),
        pytest.param(Tool("get_user_2", "", "Returns one user.", (), READS), id="other things"),
    ],
)  # fmt: skip
def test_tool_that_does_something_else_is_not_near(other: Tool) -> None:
    assert near(make_index(*TOOLS, BY_WEEK, other), "sales_by_week") == []


def test_tools_that_may_not_be_seen_are_not_named() -> None:
    index = make_index(*TOOLS, BY_WEEK, BY_MONTH)

    assert find_near_tools(index, "sales_by_week", {"sales_by_week"}) == []


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("Sales totals of stores", 'Sales totals of stores. Use this tool when the question is about "week"; when it is about "month", use sales_by_month instead.'),
        ("매장의 매출 합계.", "매장의 매출 합계. 질문이 ‘week’에 관한 것이면 이 도구를, ‘month’에 관한 것이면 sales_by_month 도구를 사용하세요."),
        ("店舗の売上合計。", "店舗の売上合計。「week」に関する質問にはこのツールを、「month」に関する質問には sales_by_month を使ってください。"),
    ],
    ids=["en", "ko", "ja"],
)  # fmt: skip
def test_sentence_is_in_the_language_of_the_description(description: str, sentence: str) -> None:
    tool = Tool("sales_by_week", "", description, BY_WEEK.parameters, READS)
    index = make_index(*TOOLS, tool, BY_MONTH)

    assert next(describe_apart(index, tool, "sales_by_month")) == sentence


def test_labels_are_nouns_of_the_author_and_no_words_of_prose() -> None:
    regional = Tool(
        "regional_sales_copy",
        "",
        "Returns regional sales totals for kr, jp and us, including tax; fast.",
        (
            parameter("page_size"),
            parameter("fiscal_year"),
            ToolParameter("with_tax", "boolean"),
            parameter("customer_id"),
        ),
        READS,
        ("finance",),
    )
    index = make_index(*TOOLS, regional, BY_MONTH)

    assert tell_labels(index, regional, BY_MONTH) == ("fiscal year", "customer", "finance")


def test_duplicate_is_near_until_its_name_is_changed_too() -> None:
    copy = replace(BY_WEEK, name="sales_by_week_copy_2")

    [found] = near(make_index(*TOOLS, BY_WEEK, copy), "sales_by_week_copy_2")

    assert found.name == "sales_by_week"


def test_text_is_offered_only_where_the_search_finds_more_with_it() -> None:
    sales = Tool("store_sales", "", "Sales.", (parameter("region"), parameter("branch")), READS)
    index = make_index(*TOOLS, sales, BY_MONTH)
    question = Probe("sales totals of a branch", frozenset({"store_sales"}))
    found = NearTool("sales_by_month", 0.8, ("branch",), ("month",))

    offered = offer_text(index, IndexEntry(sales), found, [question])

    assert offered is not None
    assert offered.description == 'Sales. Use this tool when the question is about "branch".'
    assert (offered.right_before, offered.right_after, offered.probe_count) == (2, 3, 3)
    assert offer_text(index, IndexEntry(sales), found, []) is None
