"""The list of tools and the page of a tool as a browser asks for them."""

import json
from typing import Any

import pytest
from django.test import Client

from catalog.models import DataSource
from tests.access.calls import make_call, make_calls
from tests.catalog.rows import make_table
from tests.factories import make_expression, make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import archive
from tools.definitions import ToolDocument
from tools.fields import UnknownFlag
from tools.models import QuarantinedTool, ToolDefinition
from tools.registry import read_served_rows, store_quarantine
from tools.uses.refresh import refresh_uses

HTMX = {"HX-Request": "true"}
ARCHIVED = "/tools/~/archived/"
HOSTILE = "<script>alert(1)</script>"


def rows_of(response: Any) -> list[Any]:
    """Of the tools that rows define."""
    return [row for row in response.context["listing"].rows if row.is_defined]


def names_of(response: Any) -> list[str]:
    return [row.tool.name for row in rows_of(response)]


def is_active(tool: ToolDefinition) -> bool:
    return bool(ToolDefinition.objects.get(pk=tool.pk).is_active)


@pytest.fixture
def tools(db: None) -> None:
    """Four tools: alpha reads users, beta is Python, broken is quarantined, off is inactive."""
    make_table("users", columns=("id",), display_name="고객")
    make_tool(
        "SELECT id FROM users WHERE id = :id", name="alpha", parameters=["id"], tags=["people"]
    )
    make_expression(name="beta", description_agent="곱하기")
    broken = make_tool(name="broken", data_source=DataSource.objects.create(name="other"))
    QuarantinedTool.objects.create(tool=broken, reason="no such column")
    make_tool(name="off", is_active=False)
    refresh_uses()
    make_calls(3, tool_name="beta", duration_ms=10.0)
    make_call("alpha", outcome="tool_error")


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", ["alpha", "beta", "broken", "off"], id="all"),
        pytest.param("q=BET", ["beta"], id="name"),
        pytest.param("q=곱하기", ["beta"], id="description"),
        pytest.param("q=고객", ["alpha"], id="table used"),
        pytest.param("q=select+users", ["alpha"], id="logic, each word"),
        pytest.param("state=active", ["alpha", "beta", "broken"], id="active"),
        pytest.param("state=inactive", ["off"], id="inactive"),
        pytest.param("state=broken", ["broken"], id="broken"),
        pytest.param("state=failing", ["alpha"], id="errors today"),
        pytest.param("state=undescribed", ["alpha", "beta"], id="undescribed"),
        pytest.param("kind=PYTHON", ["beta"], id="kind"),
        pytest.param("source=other", ["broken"], id="source"),
        pytest.param("source=main_db", ["alpha", "off"], id="default source"),
        pytest.param("tag=people", ["alpha"], id="tag"),
        pytest.param("sort=calls", ["beta", "alpha", "broken", "off"], id="most calls"),
        pytest.param("sort=errors", ["alpha", "beta", "broken", "off"], id="most errors"),
        pytest.param("sort=slow", ["beta", "alpha", "broken", "off"], id="slowest"),
        pytest.param("sort=changed", ["off", "broken", "beta", "alpha"], id="last changed"),
        pytest.param("page=99&kind=x&state=x&sort=x&q=%00", ["alpha", "beta", "broken", "off"], id="nonsense"),
    ],
)  # fmt: skip
def test_list_shows_what_its_address_asks_for(
    admin: Client, query: str, expected: list[str]
) -> None:
    assert names_of(admin.get(f"/tools/?{query}")) == expected


@pytest.mark.usefixtures("tools")
def test_list_tells_state_and_figures_of_today(admin: Client) -> None:
    rows = {row.tool.name: row for row in rows_of(admin.get("/tools/"))}

    assert rows["broken"].reason == "no such column"
    assert (rows["beta"].figures.calls, rows["beta"].figures.p95_ms) == (3, 10.0)
    assert rows["alpha"].figures.error_rate == 100


def test_list_asks_the_same_number_of_queries_for_any_number_of_tools(
    admin: Client, django_assert_num_queries: Any
) -> None:
    for number in range(55):
        tool = make_tool(name=f"t_{number:02}", tags=["a", HOSTILE], title=HOSTILE)
        QuarantinedTool.objects.create(tool=tool, reason=HOSTILE)
    # Tokens are counted once.
    admin.get("/tools/")

    with django_assert_num_queries(19):
        page = text_of(admin.get("/tools/"))

    assert "1–50 / 67" in page
    assert HOSTILE not in page


@pytest.mark.parametrize(
    ("query", "queries"),
    [("q=t_", 11), ("q=nothing", 6), ("kind=SQL", 10), ("sort=slow", 14), ("sort=calls&q=t_", 11)],
)
def test_filter_asks_a_fixed_number_of_queries(
    admin: Client, django_assert_num_queries: Any, query: str, queries: int
) -> None:
    for number in range(55):
        make_call(make_tool(name=f"t_{number:02}").name, duration_ms=number)
    admin.get(f"/tools/?{query}", headers=HTMX)

    with django_assert_num_queries(queries):
        admin.get(f"/tools/?{query}", headers=HTMX)


def test_search_answers_htmx_with_the_list_its_count_and_its_address(admin: Client) -> None:
    make_tool(name="sales")

    response = admin.get("/tools/?q=sal&kind=", headers=HTMX)

    assert response["HX-Push-Url"] == "/tools/?q=sal"
    assert "<mark>sal</mark>es" in text_of(response)
    assert "1 tool" in text_of(response)
    assert "<html" not in text_of(response)


def test_switch_takes_a_tool_out_of_service_and_offers_to_undo(admin: Client) -> None:
    tool = make_tool(name="sales", created_by="ann")

    page = text_of(admin.post(f"/tools/~/{tool.pk}/active/", headers=HTMX))

    assert not is_active(tool)
    assert ToolDefinition.objects.get().updated_by == "admin"
    assert "sales is not served any more." in page
    assert "Undo" in page


def test_switch_that_changes_nothing_leaves_the_tool_as_it_is(admin: Client) -> None:
    tool = make_tool(updated_by="ann")

    page = text_of(admin.post(f"/tools/~/{tool.pk}/active/", {"active": "yes"}, headers=HTMX))

    assert ToolDefinition.objects.get().updated_by == "ann"
    assert "Undo" not in page


def test_undo_of_many_changes_only_those_that_were_changed(
    admin: Client, django_assert_num_queries: Any
) -> None:
    on, off = make_tool(), make_tool(is_active=False)
    chosen = [str(on.pk), str(off.pk), "x", "99999999999999"]

    with django_assert_num_queries(11):
        response = admin.post("/tools/~/active/", {"tool": chosen, "active": "no"}, headers=HTMX)

    assert response.context["answer"].changed == [on.pk]
    assert "1 tool was deactivated." in text_of(response)


@pytest.fixture
def reader(staff_with: StaffWith) -> Client:
    """The browser of somebody who may look at all, and change nothing."""
    rights = ("tooldefinition", "callrecord", "catalogtable", "datasource")
    return staff_with(*(f"view_{name}" for name in rights))


def test_page_tells_all_of_a_tool(reader: Client) -> None:
    make_table("users", columns=("id", "email"))
    statement = "SELECT email FROM users -- :id <b>\nWHERE id = :id AND note <> ':id'"
    tool = make_tool(statement, name="find", parameters=["id"], description_user="사람용")
    QuarantinedTool.objects.create(tool=tool, reason=HOSTILE)
    make_call("find", error=HOSTILE, outcome="tool_error")

    page = text_of(reader.get("/tools/find/"))

    assert page.count('<span class="code-parameter">:id</span>') == 1
    assert '<span class="code-comment">-- :id &lt;b&gt;</span>' in page
    assert '<span class="code-keyword">SELECT</span>' in page
    assert "/catalogue/main_db/public.users/" in page
    assert "사람용" in page
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_page_colours_python(reader: Client) -> None:
    make_expression("a * b if a else 'a'", name="multiply")

    page = text_of(reader.get("/tools/multiply/"))

    assert page.count('<span class="code-parameter">a</span>') == 2
    assert '<span class="code-text">&#x27;a&#x27;</span>' in page


def test_tool_whose_name_fits_no_address_is_listed_without_a_link(admin: Client) -> None:
    make_tool(name="a/b", tags={"not": "a list"})

    assert "a/b" in text_of(admin.get("/tools/"))
    assert admin.get("/tools/unknown/").status_code == 404


def test_who_only_reads_gets_no_switch_and_no_way_around_it(staff_with: StaffWith) -> None:
    tool = make_tool(name="sales")
    reader = staff_with("view_tooldefinition")

    page = text_of(reader.get("/tools/"))

    assert 'role="switch"' not in page
    assert "/calls/" not in text_of(reader.get("/tools/sales/"))
    assert reader.post(f"/tools/~/{tool.pk}/active/").status_code == 403
    assert reader.post("/tools/~/active/", {"tool": tool.pk}).status_code == 403
    assert is_active(tool)


def test_page_shows_a_default_beyond_64_bits(staff_with: StaffWith) -> None:
    parameter = {"param_name": "j", "param_type": "JSON", "is_required": "N", "default": [10**22]}
    make_tool("SELECT :j AS j", name="wide", parameters=[parameter])

    page = text_of(staff_with("view_tooldefinition").get("/tools/wide/"))

    assert "10000000000000000000000" in page


@pytest.mark.parametrize("address", ["/tools/", "/tools/sales/"])
def test_pages_are_for_those_who_may_see_tools(staff_with: StaffWith, address: str) -> None:
    assert staff_with().get(address).status_code == 403


def test_archived_tools_are_out_of_sight_and_of_service(admin: Client) -> None:
    tool = make_tool(name="old", is_active=False)
    archive([tool.pk], "ann")

    assert names_of(admin.get("/tools/")) == []
    assert names_of(admin.get("/tools/?state=archived")) == ["old"]
    assert admin.post(f"/tools/~/{tool.pk}/active/", {"active": "yes"}).status_code == 404
    assert not is_active(tool)


def test_no_tools_yet_leads_to_the_first(admin: Client) -> None:
    assert "No tools yet" in text_of(admin.get("/tools/"))
    assert "No tool matches" in text_of(admin.get("/tools/?q=zzz"))


def test_archived_together_and_back_as_they_were(admin: Client) -> None:
    on, off = make_tool(name="on"), make_tool(name="off", is_active=False)

    page = admin.post(ARCHIVED, {"tool": [on.pk, off.pk, "x"], "archived": "yes"}, headers=HTMX)

    assert "2 tools were archived." in text_of(page)
    assert ToolDefinition.objects.archived().count() == 2
    undo = {"ids": page.context["ids"], **page.context["answer"].undo}
    assert "2 tools are back." in text_of(admin.post(ARCHIVED, undo, headers=HTMX))
    assert ToolDefinition.objects.present().count() == 2
    assert is_active(on)
    assert not is_active(off)


def test_archived_from_its_page_without_javascript(admin: Client) -> None:
    tool = make_tool(name="old")
    given = {"tool": tool.pk, "then": "tool"}

    assert admin.post(ARCHIVED, {**given, "archived": "yes"})["Location"] == "/tools/old/"
    assert admin.post(ARCHIVED, {"tool": tool.pk, "archived": "no"})["Location"] == "/tools/"
    assert ToolDefinition.objects.present().exists()


def test_who_may_not_change_tools_archives_none(staff_with: StaffWith) -> None:
    tool = make_tool()

    answer = staff_with("view_tooldefinition").post(ARCHIVED, {"tool": tool.pk, "archived": "yes"})

    assert answer.status_code == 403
    assert not ToolDefinition.objects.archived().exists()


def test_rows_tell_of_changed_drafts_only(admin: Client) -> None:
    changed, same = make_tool(name="changed"), make_tool(name="same")
    draft = open_draft(changed, "<b>ann</b>")
    page_state = PageState(username="<b>ann</b>", revision=1)
    save_draft(draft.uid, draft.document | {"title": "New"}, page_state)
    open_draft(same, "ann")

    page = admin.get("/tools/")

    owners = {row.tool.name: row.draft_owner for row in rows_of(page)}
    assert owners == {"changed": "<b>ann</b>", "same": None}
    assert "Not published yet, by &lt;b&gt;ann&lt;/b&gt;" in text_of(page)


def test_drafts_of_new_tools_stand_over_the_list(admin: Client) -> None:
    named = open_draft(None, "ann", ToolDocument(name=HOSTILE))
    unnamed = open_draft(None, "ann")

    page = text_of(admin.get("/tools/"))

    assert f"/tools/~/drafts/{named.uid}/" in page
    assert f"/tools/~/drafts/{unnamed.uid}/" in page
    assert "without a name" in page
    assert HOSTILE not in page


def test_new_tools_begin_in_the_editor(admin: Client) -> None:
    page = text_of(admin.get("/tools/"))

    assert page.count('href="/tools/~/new/"') == 2
    assert "/admin/tools/tooldefinition/add/" not in page


def test_text_that_is_neither_yes_nor_no_is_told_wherever_the_tool_is_shown(
    staff_with: StaffWith,
) -> None:
    make_tool(name="t", is_active=UnknownFlag("1"))
    store_quarantine(read_served_rows().unreadable)
    person = staff_with("view_tooldefinition")

    for address in ("/tools/t/", "/tools/", "/tools/?state=broken", "/"):
        page = text_of(person.get(address))
        assert "is_active must be Y or N (got &#x27;1&#x27;)" in page, address


def test_tool_is_put_into_service_from_its_page(admin: Client) -> None:
    tool = make_tool(name="new", is_active=False)
    given = {"tool": tool.pk, "then": "tool", "active": "yes"}

    answer = admin.post("/tools/~/active/", given, headers=HTMX)

    heard = json.loads(answer["HX-Trigger"])["tool:switched"]
    assert is_active(tool)
    assert (heard["field"], heard["value"]) == ("active", "yes")
    assert '<input type="hidden" name="then" value="tool">' in text_of(answer)
    assert "switch-" not in text_of(answer)
    assert admin.post("/tools/~/active/", given | {"active": "no"})["Location"] == "/tools/new/"
