"""The pages of toolsets: listed, named, composed, measured, deleted."""

from typing import Any

import pytest
from django.test import Client

from access.issuers.models import IssuerRule, TokenIssuer
from access.keys import issue_key
from access.models import ApiKey, Toolset
from access.toolsets.models import read_toolsets
from core.tool_entry import make_entry
from tests.factories import make_data_source, make_expression, make_tool, make_toolset
from tests.people import StaffWith
from toolbuilder.search_lab.questions import save_question
from toolbuilder.toolsets.offering import read_served_tools

HTMX = {"HX-Request": "true"}
ADDRESS = "/toolsets/sales-kr/"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def members(name: str = "sales-kr") -> set[str]:
    return set(read_toolsets()[name].tools)


def test_new_toolset_is_named_and_composed_by_ticking(admin: Client) -> None:
    make_tool(name="sales")
    made = admin.post("/toolsets/~/new/", {"title": "Sales Korea", "name": "sales-kr"})
    given = {"offered": ["sales", "search_tools", "call_tool"], "tool": ["sales", "search_tools"]}

    admin.post(f"{ADDRESS}tools/", given)

    page = admin.get(ADDRESS)
    assert made["Location"] == ADDRESS
    assert members() == {"sales", "search_tools"}
    assert page.context["endpoint"].endswith("/mcp/sales-kr")
    assert {line.tool.name for line in page.context["lines"] if line.is_in} == members()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "This field is required"),
        ("매출", "Use letters, digits"),
        ("../mcp", "Use letters, digits"),
        ("taken", "already exists"),
    ],
)
def test_name_that_is_no_end_of_an_address_is_refused(admin: Client, name: str, words: str) -> None:
    make_toolset("taken")

    response = admin.post("/toolsets/~/new/", {"name": name, "title": "x"})

    assert response.status_code == 422
    assert words in text_of(response)
    assert Toolset.objects.count() == 1


def test_tick_changes_nothing_but_what_was_offered_and_can_be_taken_back(admin: Client) -> None:
    make_toolset("sales-kr", "call_tool", "gone")

    answer = admin.post(
        f"{ADDRESS}tools/", {"offered": "search_tools", "tool": "search_tools"}, headers=HTMX
    )

    assert members() == {"call_tool", "gone", "search_tools"}
    assert (answer.context["changed"], answer.context["undo"]) == (["search_tools"], [])
    assert "1 tool was put in." in text_of(answer)
    assert "toolset-changed" in answer["HX-Trigger"]
    back = admin.post(f"{ADDRESS}tools/", {"offered": "search_tools"}, headers=HTMX)
    assert members() == {"call_tool", "gone"}
    assert back.context["undo"] == ["search_tools"]


def test_tools_come_by_their_tags(admin: Client) -> None:
    make_tool(name="sales", tags=["매출"])
    make_toolset("sales-kr")

    admin.post(f"{ADDRESS}tags/", {"tag": "매출", "new": "text, "})

    page = admin.get(ADDRESS)
    lines = {line.tool.name: line.tag for line in page.context["lines"] if line.is_in}
    assert lines == {"sales": "매출", "sanitize_for_csv": "text"}
    assert page.context["cost"].members == frozenset(lines)


def test_name_without_a_tool_is_marked_and_can_be_taken_out(admin: Client) -> None:
    make_tool(name="asleep", is_active=False)
    make_toolset("sales-kr", "gone", "asleep", "search_tools")

    page = admin.get(f"{ADDRESS}?show=missing")

    assert [line.tool.name for line in page.context["page"]] == ["asleep", "gone"]
    assert "no such tool" in text_of(page)
    assert "2 not served" in text_of(admin.get("/toolsets/"))
    admin.post(f"{ADDRESS}tools/", {"offered": "gone"})
    assert members() == {"asleep", "search_tools"}


def test_cost_is_that_of_the_list_that_agents_read(admin: Client) -> None:
    make_expression(name="multiply", description_agent="Multiplies two numbers.")
    make_toolset("sales-kr", "multiply", "search_tools", "call_tool")
    served = read_served_tools()
    tokens = {
        name: make_entry(served[name].spec, served[name].input_schema, {}).tokens  # type: ignore[arg-type]
        for name in members()
    }

    cost = admin.get(ADDRESS).context["cost"]

    assert cost.tokens == sum(tokens.values())
    assert cost.search_tokens == tokens["search_tools"] + tokens["call_tool"]
    assert {part.kind: part.tokens for part in cost.parts} == {
        "PYTHON": tokens["multiply"],
        "BUILTIN": cost.search_tokens,
    }
    assert f"≈ {cost.tokens}" in text_of(admin.get("/toolsets/"))


def test_tools_of_closed_sources_are_a_number_and_stay(staff_with: StaffWith) -> None:
    make_tool(name="salaries", data_source=make_data_source("hr", is_restricted=True))
    make_toolset("sales-kr", "salaries", "search_tools")
    clerk = staff_with("view_toolset", "change_toolset")

    page = clerk.get(ADDRESS)
    clerk.post(f"{ADDRESS}tools/", {"offered": ["salaries", "search_tools"]})

    assert "salaries" not in text_of(page)
    assert "1 more tool of it is not yours to give." in text_of(page)
    assert members() == {"salaries"}


def test_renamed_toolset_takes_its_keys_and_rules_along(admin: Client) -> None:
    make_toolset("sales-kr", "search_tools")
    key = issue_key("claude").key
    ApiKey.objects.filter(pk=key.pk).update(toolsets=["sales-kr", "b"], allowed_tools=[])

    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    given = {"claim": "groups", "test": "contains", "value": "sales", "toolsets": ["sales-kr"]}
    rule = IssuerRule.objects.create(issuer=issuer, **given)

    moved = admin.post(f"{ADDRESS}edit/", {"name": "sales-jp", "title": ""})

    key.refresh_from_db()
    rule.refresh_from_db()
    assert moved["Location"] == "/toolsets/sales-jp/"
    assert (key.toolsets, rule.toolsets) == (["b", "sales-jp"], ["sales-jp"])


def test_toolset_of_a_deleted_ones_name_opens_nothing(admin: Client) -> None:
    make_toolset("sales-kr", "search_tools")
    key = issue_key("claude").key
    ApiKey.objects.filter(pk=key.pk).update(toolsets=["sales-kr"], allowed_tools=[])

    question = text_of(admin.get(f"{ADDRESS}delete/"))
    admin.post(f"{ADDRESS}delete/")

    key.refresh_from_db()
    assert "1 key loses it." in question
    assert key.toolsets == []
    assert admin.get(ADDRESS).status_code == 404


def test_quality_names_questions_and_tools_that_are_taken_for_others(admin: Client) -> None:
    make_tool(name="list_orders", description_agent="Lists the orders of a customer.")
    make_tool(name="orders_twin", description_agent="Lists the orders of a customer.")
    make_tool(name="delete_order", description_agent="Deletes an order for ever.")
    make_toolset("sales-kr", "list_orders", "orders_twin", "delete_order")
    save_question("delete an order", ["delete_order"], "ann")
    save_question("list the orders", ["orders_twin"], "ann")
    save_question("weather of tomorrow", ["city_forecast"], "ann")

    quality = admin.get(f"{ADDRESS}quality/").context["quality"]
    summary = text_of(admin.get(f"{ADDRESS}quality/", headers=HTMX))

    assert [each.question.text for each in quality.measured.questions] == [
        "list the orders",
        "delete an order",
    ]
    assert quality.answered == 2
    [row] = quality.measured.confusion.rows
    assert (row.name, quality.measured.confusion.columns) == ("orders_twin", ("list_orders",))
    assert (row.right, row.nothing, row.taken_for) == (0, 0, (1,))
    [pair] = quality.near
    assert {pair.name, pair.near.name} == {"list_orders", "orders_twin"}
    assert len(quality.confusions) == 1
    assert {quality.confusions[0].name, quality.confusions[0].first} == {
        "list_orders",
        "orders_twin",
    }
    assert "2 of 3" in summary
    assert "<html" not in summary


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["a-b", "sales-kr"]),
        ("q=KOREA", ["sales-kr"]),
        ("q=seoul%20kr", ["sales-kr"]),
        ("q=%00&page=x", ["a-b", "sales-kr"]),
        ("q=none", []),
    ],
)
def test_toolsets_are_found_by_their_texts(admin: Client, query: str, expected: list[str]) -> None:
    make_toolset("sales-kr", title="Sales Korea", description="What Seoul asks.")
    make_toolset("a-b", tags="what another program wrote")

    response = admin.get(f"/toolsets/?{query}")

    assert [row.name for row, _cost, _keys in response.context["lines"]] == expected


def test_list_asks_the_same_number_of_queries_for_any_number_of_toolsets(
    admin: Client, django_assert_num_queries: Any
) -> None:
    make_tool(name="sales", tags=["매출"])
    for number in range(30):
        make_toolset(f"set-{number}", "sales", "gone", tags=["매출"])
    # What is served is read once for each revision.
    admin.get("/toolsets/")

    with django_assert_num_queries(12):
        admin.get("/toolsets/")


def test_who_only_reads_gets_no_forms_and_no_way_around_them(staff_with: StaffWith) -> None:
    make_toolset("sales-kr", "search_tools")
    reader = staff_with("view_toolset")

    assert 'method="post"' not in text_of(reader.get(ADDRESS)).split("<main")[1].split("</main")[0]
    assert reader.get("/toolsets/~/new/").status_code == 403
    for action in ("edit", "tools", "tags", "delete"):
        assert reader.post(f"{ADDRESS}{action}/", {"offered": "search_tools"}).status_code == 403
    assert members() == {"search_tools"}
