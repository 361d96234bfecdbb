"""The command palette as a browser asks for it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalog.models import DataSource
from tests.catalog.rows import make_table
from tests.factories import make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import archive
from tools.definitions import ToolDocument

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def ask(client: Client, query: str = "") -> Any:
    return client.get("/palette/", {"q": query}, headers=HTMX)


def labels_of(response: Any, heading: str) -> list[str]:
    groups = response.context["groups"]
    return [str(item.label) for group in groups if group.heading == heading for item in group.items]


@pytest.fixture
def restricted(db: None) -> DataSource:
    """A data source that superusers alone may use, with a table."""
    source = DataSource.objects.create(name="payroll", is_restricted=True)
    make_table("payroll_salaries", columns=("id",), source=source)
    return source


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("find_customer", ["find_customer"], id="name"),
        pytest.param("CUSTOMER", ["find_customer"], id="part of the name, any case"),
        pytest.param("고객", ["find_customer"], id="Korean title"),
        pytest.param("売上", ["sales_by_day"], id="Japanese description"),
        pytest.param("day sales", ["sales_by_day"], id="words in any order"),
        pytest.param("nothing_at_all", [], id="nothing"),
    ],
)
def test_tools_are_found_by_their_texts(admin: Client, query: str, expected: list[str]) -> None:
    make_tool(name="find_customer", title="고객 찾기")
    make_tool(name="sales_by_day", description_user="日別の売上")

    assert labels_of(ask(admin, query), "Tools") == expected


def test_tools_of_that_name_come_first_and_no_more_than_eight(admin: Client) -> None:
    for number in range(9):
        make_tool(name=f"a_{number}", description_agent="Of orders.")
    make_tool(name="recent_orders")
    make_tool(name="orders")

    found = labels_of(ask(admin, "orders"), "Tools")

    assert found[:3] == ["orders", "recent_orders", "a_0"]
    assert len(found) == 8


def test_archived_tools_are_not_offered(admin: Client) -> None:
    archive([make_tool(name="old_sales").pk], "ann")

    assert labels_of(ask(admin, "old_sales"), "Tools") == []


def test_tables_are_found_by_what_people_call_them(admin: Client) -> None:
    make_table("t_cust", columns=("id",), display_name="고객")

    found = ask(admin, "고객")

    assert labels_of(found, "Tables") == ["public.t_cust"]
    assert "/catalogue/main_db/public.t_cust/" in text_of(found)


@pytest.mark.usefixtures("restricted")
def test_nothing_is_told_of_what_the_person_may_not_see(staff_with: StaffWith) -> None:
    make_tool(name="payroll_total")

    found = ask(staff_with(), "payroll")

    assert found.context["groups"] == []
    assert "payroll_" not in text_of(found)
    assert "Nothing that you may see is called that." in text_of(found)


@pytest.mark.usefixtures("restricted")
def test_superuser_finds_restricted_sources_and_their_tables(admin: Client) -> None:
    found = ask(admin, "payroll")

    assert labels_of(found, "Data sources") == ["payroll"]
    assert labels_of(found, "Tables") == ["public.payroll_salaries"]


@pytest.mark.parametrize(
    ("rights", "offered"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["add_apikey"], ["New key"], id="keys"),
        pytest.param(
            ["view_tooldefinition", "add_tooldefinition"],
            ["New tool", "New SQL tool", "New Python tool"],
            id="tools",
        ),
        pytest.param(["add_datasource"], ["New data source"], id="data sources"),
    ],
)
def test_actions_are_those_that_the_person_may_do(
    staff_with: StaffWith, rights: list[str], offered: list[str]
) -> None:
    assert labels_of(ask(staff_with(*rights), "new"), "Actions") == offered


@pytest.mark.parametrize(
    ("query", "label"),
    [
        pytest.param("dark", "Switch to dark", id="theme"),
        pytest.param("한국", "Language: 한국어", id="language in its own words"),
        pytest.param("korean", "Language: 한국어", id="language in English"),
        pytest.param("agent", "Connect an agent", id="first steps"),
    ],
)
def test_actions_are_found_by_words(admin: Client, query: str, label: str) -> None:
    assert labels_of(ask(admin, query), "Actions") == [label]


def test_what_is_chosen_already_is_not_offered(admin: Client) -> None:
    admin.cookies["theme"] = "dark"

    offered = labels_of(ask(admin), "Actions")

    assert "Switch to light" in offered
    assert {"Switch to dark", "Language: English"}.isdisjoint(offered)


def test_english_words_find_actions_and_places_in_every_language(admin: Client) -> None:
    found = admin.get("/palette/?q=data+source", headers={**HTMX, "Accept-Language": "ko"})

    assert 'href="/sources/"' in text_of(found)
    assert 'href="/sources/~/add/"' in text_of(found)


def test_without_words_the_tools_that_were_edited_last_come_first(admin: Client) -> None:
    make_tool(name="of_others", updated_by="ann")
    make_tool(name="published", updated_by="admin")
    open_draft(make_tool(name="edited"), "admin")
    open_draft(None, "admin", ToolDocument(name="fresh"))
    open_draft(None, "ann", ToolDocument(name="of_ann"))

    answer = ask(admin)

    assert [group.heading for group in answer.context["groups"]] == ["Your last tools", "Actions"]
    assert labels_of(answer, "Your last tools") == ["fresh", "edited", "published"]
    assert 'href="/catalogue/"' in text_of(answer)


def test_own_new_draft_is_found_and_that_of_others_is_not(admin: Client) -> None:
    open_draft(None, "admin", ToolDocument(name="draft_mine"))
    open_draft(None, "ann", ToolDocument(name="draft_hers"))

    assert labels_of(ask(admin, "draft_"), "Tools") == ["draft_mine"]


def test_names_are_shown_as_text(admin: Client) -> None:
    make_tool(name="x_tool", title=HOSTILE)
    make_table(f"x_{HOSTILE}", columns=("id",), display_name=HOSTILE)

    page = text_of(ask(admin, "x_"))

    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("query", "queries"),
    [
        pytest.param("", 6, id="without words"),
        pytest.param("sales", 10, id="found"),
        pytest.param("zzznowhere", 14, id="found nowhere"),
    ],
)
def test_number_of_queries_does_not_grow_with_the_rows(
    admin: Client, django_assert_num_queries: Any, query: str, queries: int
) -> None:
    for number in range(12):
        tool = make_tool(name=f"sales_{number}", updated_by="admin")
        open_draft(tool, "admin")
        make_table(f"sales_{number}", columns=("id", "note"))
        DataSource.objects.create(name=f"sales-{number}")

    with django_assert_num_queries(queries):
        ask(admin, query)


def test_without_javascript_it_is_a_page_with_a_form(admin: Client) -> None:
    make_tool(name="sales")

    page = text_of(admin.get("/palette/?q=sales"))

    assert '<input class="input" type="search" name="q" value="sales"' in page
    assert 'href="/tools/sales/"' in page


def test_nonsense_is_answered(admin: Client) -> None:
    assert ask(admin, "\0" + "'%_\\" * 200).status_code == 200


def test_others_than_staff_are_refused(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("guest"))

    assert ask(client).status_code == 403
    assert 'id="palette"' not in text_of(client.get("/settings/"))
