"""Several tools of the list at once: all that match, tags, toolsets, files, each taken back."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from access.audit.models import AuditEntry
from access.models import ToolsetTool
from tests.factories import make_tool, make_toolset
from tests.people import StaffWith
from tests.rendered import text_of
from tools.models import ToolDefinition

HTMX = {"HX-Request": "true"}
TAGGED, GROUPED = "/tools/~/tagged/", "/tools/~/grouped/"


def undo_of(page: Any) -> dict[str, str]:
    """The fields of the toast's form."""
    given = {"ids": page.context["ids"], "names": page.context["names"]}
    return {**given, **page.context["answer"].undo}


def tags_of(name: str) -> list[str]:
    return list(ToolDefinition.objects.get(name=name).tags)


def told(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_all_that_match_are_changed_also_on_other_pages(admin: Client) -> None:
    for number in range(55):
        make_tool(name=f"t_{number:02}")
    other = make_tool(name="other")

    page = admin.post(
        "/tools/~/active/", {"every": "yes", "filter": "q=t_", "active": "no"}, headers=HTMX
    )

    assert "55 tools were deactivated." in text_of(page)
    assert [tool.pk for tool in ToolDefinition.objects.active()] == [other.pk]
    admin.post("/tools/~/active/", undo_of(page), headers=HTMX)
    assert ToolDefinition.objects.active().count() == 56


@pytest.mark.django_db(transaction=True)
def test_tag_is_a_version_of_each_tool_and_is_taken_back(admin: Client) -> None:
    first, second = make_tool(name="a", tags=["math"]), make_tool(name="b", tags=["sales"])
    given = {"tool": [first.pk, second.pk], "tag": " sales "}

    page = admin.post(TAGGED, {**given, "do": "tag"}, headers=HTMX)

    assert "1 tool has the tag now." in text_of(page)
    assert tags_of("a") == ["math", "sales"]
    version = first.versions.order_by("-number")[0]
    assert (version.published_by, version.note) == ("admin", "+ sales")
    assert AuditEntry.objects.filter(kind="h_custom_tool", actor="admin").exists()
    admin.post(TAGGED, undo_of(page), headers=HTMX)
    assert (tags_of("a"), tags_of("b")) == (["math"], ["sales"])


def test_tag_that_a_review_or_files_stand_against_is_refused_for_these_alone(
    admin: Client,
) -> None:
    make_toolset("reviewed", "a", review="other")
    make_toolset("files", "b", owned_by_files=True)
    tools = [make_tool(name=name).pk for name in "abc"]

    page = admin.post(TAGGED, {"tool": tools, "tag": "x", "do": "tag"}, headers=HTMX)

    assert "1 tool has the tag now. 2 were refused." in text_of(page)
    assert [tags_of(name) for name in "abc"] == [[], [], ["x"]]


def test_tags_ask_a_fixed_number_of_queries(admin: Client, django_assert_num_queries: Any) -> None:
    tools = [make_tool(name=f"t_{number}").pk for number in range(40)]

    with django_assert_num_queries(25):
        admin.post(TAGGED, {"ids": ",".join(map(str, tools)), "tag": "x"}, headers=HTMX)

    assert ToolDefinition.objects.filter(tags=["x"]).count() == 40


@pytest.mark.parametrize("tag", ["", "a,b", "x" * 65])
def test_what_can_be_no_tag_is_refused(admin: Client, tag: str) -> None:
    tool = make_tool()

    answer = admin.post(TAGGED, {"tool": tool.pk, "tag": tag}, headers=HTMX)

    assert answer.status_code == 422
    assert told(answer) == ["a tag has 1 to 64 characters and no comma"]


def test_tools_of_every_kind_are_put_in_a_toolset_and_taken_out_again(admin: Client) -> None:
    toolset = make_toolset("trips", "b")
    tools = [make_tool(name=name).pk for name in "ab"]
    given = {"tool": tools, "other": "search_tools", "toolset": "trips", "do": "in"}

    page = admin.post(GROUPED, given, headers=HTMX)

    assert "2 tools were put in." in text_of(page)
    names = ToolsetTool.objects.filter(toolset=toolset).values_list("tool_name", flat=True)
    assert set(names) == {"a", "b", "search_tools"}
    admin.post(GROUPED, undo_of(page), headers=HTMX)
    assert set(names.all()) == {"b"}


def test_tools_of_other_kinds_are_said_to_stay_as_they_were(admin: Client) -> None:
    tool = make_tool()
    given = {"tool": tool.pk, "other": "search_tools", "archived": "yes"}

    page = text_of(admin.post("/tools/~/archived/", given, headers=HTMX))

    assert "1 tool was archived. 1 tool of an MCP server or built in stays as it was." in page


def test_all_that_match_are_exported(admin: Client) -> None:
    make_tool(name="t_1")
    make_tool(name="other")
    given = {"every": "yes", "filter": "q=t_", "format": "yaml"}

    address = admin.post("/tools/~/export/", given)["Location"]

    text = admin.get(address).content.decode()
    assert "t_1" in text
    assert "other" not in text


def test_what_the_user_may_not_change_stays(staff_with: StaffWith) -> None:
    tool = make_tool(name="a")
    reader = staff_with("view_tooldefinition")

    for address in (TAGGED, GROUPED):
        given = {"tool": tool.pk, "tag": "x", "toolset": make_toolset(f"t{len(address)}").name}
        assert reader.post(address, given).status_code == 403
    assert tags_of("a") == []
