"""The dashboard: figures, what needs attention, runtimes, and what of it who may see."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.figures import read_tool_figures, start_of_today
from access.models import RuntimeInstance
from catalog.models import CatalogScan, DataSource, DefaultSourceCheck, SourceCheck
from tests.access.calls import make_call, make_calls
from tests.factories import make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.dashboard.views import draw_sparkline
from toolbuilder.models import ToolDraft
from tools.models import QuarantinedTool, RestingTool, ToolSearch
from tools.names import read_reserved_names


def attention_of(response: Any) -> dict[str, str]:
    return {one.title: one.address for one in response.context["attention"]}


def test_figures_lead_to_the_lists_that_they_count(admin: Client) -> None:
    make_calls(3, duration_ms=20.0)
    make_call(outcome="timeout", duration_ms=20.0, truncated=True)
    make_call(seconds_ago=2 * 86_400)

    figures = admin.get("/").context["figures"]

    assert [one.value for one in figures] == ["4", "25 %", "20 ms", "80 ms", "1"]
    for one in figures:
        assert admin.get(one.address).status_code == 200
    shown = admin.get(figures[1].address).context["page"].calls
    assert [call.outcome for call in shown] == ["timeout"]


@pytest.mark.parametrize(("name", "calls"), [("24h", "1"), ("7d", "2"), ("90d", "3"), ("x", "1")])
def test_range_of_time_is_that_of_the_address(admin: Client, name: str, calls: str) -> None:
    for days in (0, 3, 30):
        make_call(seconds_ago=days * 86_400)

    page = admin.get(f"/?range={name}")

    assert page.context["figures"][0].value == calls
    assert sum(page.context["chart"]["calls"]) == int(calls)


def test_lists_say_who_calls_what_and_what_fails(admin: Client) -> None:
    make_calls(3, tool_name="stock", caller="ann", key_id="abcd1234", client_name="Cursor")
    make_calls(2, tool_name="slow", caller="bob", duration_ms=9_000.0, outcome="timeout")

    context = admin.get("/").context

    assert [one.label for one in context["top_tools"]] == ["stock", "slow"]
    assert [one.label for one in context["slow_tools"]] == ["slow", "stock"]
    assert [(one.label, one.note) for one in context["top_callers"]] == [
        ("ann", "Cursor"),
        ("bob", ""),
    ]
    assert [(str(one.label), one.count) for one in context["causes"]] == [("time-out", 2)]
    lists = ("top_tools", "slow_tools", "top_callers", "causes")
    for bar in [bar for name in lists for bar in context[name]]:
        assert len(admin.get(bar.address).context["page"].calls) == bar.count


def test_table_has_the_figures_of_the_charts(admin: Client) -> None:
    make_call(duration_ms=20.0)

    page = text_of(admin.get("/"))

    table = page[page.index("Show as table") :]
    assert table.count("20 ms") >= 3


def test_search_that_led_to_nothing_begins_a_tool(admin: Client) -> None:
    for query in ("refund of an order", "refund of an order", "lost parcels"):
        ToolSearch.objects.create(query=query)
    ToolSearch.objects.create(query="stock", names=["sales"])
    ToolSearch.objects.create(query="sales", names=["sales"], called_tool="sales")

    missed = admin.get("/").context["missed"]

    assert [(one.label, one.count, one.note) for one in missed] == [
        ("refund of an order", 2, "no tool found"),
        ("lost parcels", 1, "no tool found"),
        ("stock", 1, ""),
    ]
    assert "refund of an order" in text_of(admin.get(missed[0].address))
    begun = admin.post("/tools/~/new/", {"template": "empty-sql", "wish": missed[0].label})
    assert ToolDraft.objects.get().document["description_agent"] == "refund of an order"
    assert begun.status_code == 302


def test_tools_that_nobody_calls_are_named(admin: Client) -> None:
    for name in ("called", "found", "lonely"):
        make_tool(name=name)
    make_call("called")
    ToolSearch.objects.create(query="q", names=["found", "called", "x", "lonely"])

    context = admin.get("/").context

    uncalled = context["uncalled"]
    assert [name for name, *_ in uncalled.shown][:2] == ["found", "lonely"]
    # Built-in ones come after them.
    assert uncalled.count == 2 + len(read_reserved_names())
    assert [(name, count) for name, _, count in context["passed_over"].shown] == [
        ("found", 1),
        ("x", 1),
    ]


def test_without_a_search_no_tool_is_said_to_be_found(admin: Client) -> None:
    make_call("called")

    page = text_of(admin.get("/"))

    assert "No search found a tool in this time." in page
    assert "Each tool that searches found first was called." not in page
    ToolSearch.objects.create(query="q", names=["called"])
    assert "Each tool that searches found first was called." in text_of(admin.get("/"))


def test_call_of_an_unknown_tool_is_no_error_of_a_tool(admin: Client) -> None:
    make_tool(name="sleeping", is_active=False)
    make_calls(9, tool_name="sleeping", outcome="unknown_tool")
    make_call(outcome="timeout")

    page = admin.get("/")

    calls, rate = page.context["figures"][:2]
    assert [calls.value, rate.value] == ["10", "10 %"]
    assert attention_of(page) == {}
    shown = admin.get(rate.address).context["page"].calls
    assert [call.outcome for call in shown] == ["timeout"]


def test_calls_refused_while_a_tool_was_inactive_are_not_its_calls(admin: Client) -> None:
    make_tool(name="sales")
    make_calls(9, outcome="unknown_tool", duration_ms=9_000.0)
    make_call(duration_ms=20.0)

    figures = read_tool_figures(start_of_today())["sales"]

    assert (figures.calls, figures.errors, figures.p95_ms) == (1, 0, 20.0)
    assert admin.get("/tools/?state=failing").context["listing"].rows == []


def test_invitation_says_how_many_tools_are_active(admin: Client) -> None:
    assert "No tool is active yet" in text_of(admin.get("/"))

    make_tool()

    page = text_of(admin.get("/"))
    assert "1 tool is active; nobody has made one in the editor yet." in page


def test_attention_names_what_is_wrong_and_where_it_is_mended(admin: Client) -> None:
    broken = make_tool(name="broken", parameters=["bare"])
    QuarantinedTool.objects.create(tool=broken, reason="no such column")
    make_calls(5, tool_name="failing", outcome="tool_error")
    make_calls(5, tool_name="fine")
    source = DataSource.objects.create(name="shop")
    SourceCheck.objects.create(source=source, state="refused", refusal="may write")
    DefaultSourceCheck.objects.create(state="refused", refusal="may write")
    CatalogScan.objects.create(source=source, state="done")
    CatalogScan.objects.create(source=source, state="failed", error="away")
    CatalogScan.objects.create(state="failed")
    CatalogScan.objects.create(state="done")

    found = attention_of(admin.get("/"))

    assert found["broken"] == "/tools/broken/"
    assert found["main_db"] == "/sources/main_db/"
    assert found["failing"].startswith("/calls/?tool=failing&outcome=failed")
    assert "1 tool has a parameter without a description" in found
    assert set(found) - {"main_db", "shop"} == {
        "broken", "failing", "1 tool has a parameter without a description",
    }  # fmt: skip
    titles = [one.title for one in admin.get("/").context["attention"]]
    assert titles.count("shop") == 2
    for address in found.values():
        assert admin.get(address).status_code == 200


def test_number_of_queries_does_not_grow(admin: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(12):
        tool = make_tool(name=f"t_{number}")
        QuarantinedTool.objects.create(tool=tool, reason="broken")
        source = DataSource.objects.create(name=f"s_{number}")
        SourceCheck.objects.create(source=source, state="unreachable", summary="away")
        RuntimeInstance.objects.create(host="h", pid=number, version="1")

    with django_assert_max_num_queries(26):
        page = text_of(admin.get("/"))

    assert "7 more broken tools" in page


def test_tool_rests_where_a_living_runtime_says_so(admin: Client) -> None:
    silent_since = timezone.now() - timedelta(minutes=5)
    runtimes = [
        RuntimeInstance.objects.create(host="h", pid=number, version="1") for number in range(2)
    ]
    silent = RuntimeInstance.objects.create(host="h", pid=3, version="1", last_seen_at=silent_since)
    resting, works = make_tool(name="resting"), make_tool(name="works")
    for runtime in runtimes:
        RestingTool.objects.create(tool=resting, runtime=runtime)
    RestingTool.objects.create(tool=works, runtime=silent)

    page = admin.get("/")

    assert attention_of(page) == {"resting": "/tools/resting/"}
    assert "rests after repeated errors, in 2 runtimes" in text_of(page)


def test_silent_runtime_is_told_from_a_serving_one(admin: Client) -> None:
    RuntimeInstance.objects.create(host="new", pid=1, version="1", tool_count=17)
    RuntimeInstance.objects.create(
        host="old", pid=2, version="1", last_seen_at=timezone.now() - timedelta(minutes=5)
    )

    page = text_of(admin.get("/"))

    assert page.index("serving") < page.index("silent")
    assert "17" in page
    assert "not recorded" not in page


def test_runtime_says_how_many_calls_it_could_not_record(admin: Client) -> None:
    RuntimeInstance.objects.create(host="new", pid=1, version="1", dropped_calls=12)

    assert "12 calls not recorded" in text_of(admin.get("/"))


@pytest.mark.parametrize(
    ("rights", "shown", "hidden"),
    [
        ((), ["Needs attention"], ["broken_tool", "Runtimes", "Calls and errors"]),
        (("view_tooldefinition",), ["broken_tool", "Runtimes"], ["Calls and errors", "secret"]),
        (("view_callrecord",), ["Calls and errors", "secret"], ["broken_tool", "Runtimes"]),
    ],
    ids=["nothing", "tools", "calls"],
)
def test_everyone_sees_what_they_may(
    staff_with: StaffWith, rights: tuple[str, ...], shown: list[str], hidden: list[str]
) -> None:
    QuarantinedTool.objects.create(tool=make_tool(name="broken_tool"), reason="broken")
    make_call("secret")

    page = text_of(staff_with(*rights).get("/"))

    assert [word for word in shown if word not in page] == []
    assert [word for word in hidden if word in page] == []


@pytest.mark.parametrize("values", [[], [0], [0, 0], [1, 5, 2.5]], ids=str)
def test_sparkline_stays_in_its_box(values: list[float]) -> None:
    points = [tuple(map(float, one.split(","))) for one in draw_sparkline(values).area.split()]

    assert all(0 <= x <= 120 and 0 <= y <= 28 for x, y in points)


def test_nobody_is_told_of_a_data_source_that_they_may_not_use(staff_with: StaffWith) -> None:
    source = DataSource.objects.create(name="closed_shop", is_restricted=True)
    SourceCheck.objects.create(source=source, state="refused", refusal="may write")
    CatalogScan.objects.create(source=source, state="failed")

    assert "closed_shop" not in text_of(staff_with("view_datasource").get("/"))
