"""The history of a tool in the browser: listed, compared, read and restored."""

from typing import Any

import pytest
from django.test import Client

from tests.access.calls import make_call, make_calls
from tests.factories import make_data_source, make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import publish_snapshot
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import ToolDraft, ToolVersion, VersionOrigin
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"
FIRST = ToolDocument(
    name="double",
    description_agent=HOSTILE,
    tool_type="PYTHON",
    definition="a * 2 # <b>",
    parameters=(ParameterDocument(param_name="a", param_type="NUMBER", description=HOSTILE),),
)


def publish(definition: str, note: str = "") -> ToolDefinition:
    """The tool `double` with this logic, published by ann."""
    tool = ToolDefinition.objects.filter(name="double").first()
    entry = VersionEntry(origin=VersionOrigin.PUBLISHED, author="ann", note=note)
    return publish_snapshot(tool, FIRST.replace(definition=definition), entry).tool


def test_list_tells_who_published_what_and_how_it_went(admin: Client) -> None:
    publish(FIRST.definition, note=HOSTILE)
    make_calls(3, tool_name="double")
    publish("a * 3", note="three")
    make_call("double", outcome="tool_error")

    page = admin.get("/tools/double/versions/")

    rows = {row.version.number: row for row in page.context["rows"]}
    assert list(rows) == [2, 1]
    assert (rows[2].is_now, rows[2].figures.errors) == (True, 1)
    assert not rows[1].is_now
    assert page.context["rows"][0].version.note == "three"
    assert HOSTILE not in text_of(page)


def test_list_is_cut_into_pages_and_asks_few_queries(
    admin: Client, django_assert_num_queries: Any
) -> None:
    tool = publish("a")
    rows = [
        ToolVersion(
            tool=tool, tool_name="double", number=number, document={}, content_hash="", note=HOSTILE
        )
        for number in range(2, 62)
    ]
    ToolVersion.objects.bulk_create(rows)

    with django_assert_num_queries(11):
        page = admin.get("/tools/double/versions/")
    second = admin.get("/tools/double/versions/?page=2")

    assert "1–50 / 61" in text_of(page)
    assert [row.version.number for row in second.context["rows"]][-1] == 1
    assert second.status_code == 200


def test_tool_of_another_program_has_no_versions_yet(admin: Client) -> None:
    make_tool(name="outside")

    page = text_of(admin.get("/tools/outside/versions/"))

    assert "Written outside of Toolbuilder; recorded at the next publish." in page
    assert not ToolVersion.objects.exists()


def test_write_by_another_program_is_told(admin: Client) -> None:
    publish("a")
    ToolDefinition.objects.update(definition="a * 9")

    listed = admin.get("/tools/double/versions/")
    compared = text_of(admin.get("/tools/double/versions/1/diff/?with=now"))

    assert "Another program has changed this tool" in text_of(listed)
    assert not listed.context["rows"][0].is_now
    assert "<ins>a * 9</ins>" in compared


def test_version_is_read_with_its_logic_coloured(admin: Client) -> None:
    publish(FIRST.definition)
    publish("a * 3")

    page = text_of(admin.get("/tools/double/versions/1/"))

    assert '<span class="code-parameter">a</span>' in page
    assert '<span class="code-comment"># &lt;b&gt;</span>' in page
    assert HOSTILE not in page
    assert "Restore" in page


@pytest.mark.parametrize(
    ("query", "removed", "added"),
    [
        pytest.param("", "a", "a * 2", id="the version before"),
        pytest.param("?with=1", "a", "a * 2", id="an older one"),
        pytest.param("?with=3", "a * 2", "a * 3", id="a newer one"),
        pytest.param("?with=now", "a * 2", "a * 3", id="now"),
        pytest.param("?with=draft", "a * 2", "a * 4", id="the draft"),
    ],
)
def test_any_two_states_are_compared_from_the_older_to_the_newer(
    admin: Client, query: str, removed: str, added: str
) -> None:
    publish("a")
    publish("a * 2")
    draft = open_draft(publish("a * 3"), "ann")
    page_state = PageState(username="ann", revision=draft.revision)
    save_draft(draft.uid, draft.document | {"definition": "a * 4"}, page_state)

    page = text_of(admin.get(f"/tools/double/versions/2/diff/{query}"))

    assert f"<del>{removed}</del>" in page
    assert f"<ins>{added}</ins>" in page


@pytest.mark.parametrize(
    "address",
    ["9/", "99999999999/", "1/diff/?with=9", "1/diff/?with=x", "1/diff/?with=²", "1/diff/?with=draft"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(admin: Client, address: str) -> None:
    publish("a")

    assert admin.get(f"/tools/double/versions/{address}").status_code == 404


def test_restoring_asks_first_and_makes_a_new_version(admin: Client) -> None:
    row = ParameterDocument(param_name="b", param_type="NUMBER")
    first = publish("a")
    entry = VersionEntry(origin=VersionOrigin.PUBLISHED, author="ann")
    publish_snapshot(
        first, ToolDocument(name="double", tool_type="PYTHON", definition="b", parameters=(row,)), entry
    )  # fmt: skip
    restore = "/tools/double/versions/1/restore/"

    asked = admin.post(restore, headers=HTMX)
    answer = admin.post(restore, {"confirmed": "1", "note": "sorry"}, headers=HTMX)

    assert "b is gone; calls that give it are refused." in text_of(asked)
    assert answer["HX-Redirect"] == "/tools/double/versions/"
    version = ToolVersion.objects.get(number=3)
    assert (version.restored_from, version.note, version.published_by) == (1, "sorry", "admin")
    assert ToolDefinition.objects.get().definition == "a"
    assert "Version 1 is served again, as version 3." in text_of(
        admin.get("/tools/double/versions/")
    )


def test_version_that_cannot_be_served_any_more_is_refused(admin: Client) -> None:
    tool = make_tool("SELECT nothing_like_it FROM nowhere", name="double")
    record_version(tool, VersionEntry(origin=VersionOrigin.SAVED))
    ToolDefinition.objects.update(definition="SELECT 1 AS one")
    restore = "/tools/double/versions/1/restore/"

    answer = admin.post(restore, {"confirmed": "1", "note": "keep me"}, headers=HTMX)

    assert answer.status_code == 422
    assert "It cannot be served as it is." in text_of(answer)
    assert "keep me" in text_of(answer)
    assert ToolDefinition.objects.get().definition == "SELECT 1 AS one"


def test_version_whose_source_is_gone_is_refused_and_opened_as_a_draft(admin: Client) -> None:
    source = make_data_source("shop")
    tool = make_tool("SELECT 1 AS one", name="double", data_source=source)
    record_version(tool, VersionEntry(origin=VersionOrigin.SAVED))
    ToolDefinition.objects.update(data_source=None, record_arguments="none")
    source.delete()
    restore = "/tools/double/versions/1/restore/"

    refused = admin.post(restore, {"confirmed": "1"}, headers=HTMX)
    opened = admin.post(restore, {"as_draft": "1"})

    assert refused.status_code == 422
    assert "there is no data source" in text_of(refused)
    assert "Open it as a draft" in text_of(refused)
    assert opened["Location"] == "/tools/double/"
    page = text_of(admin.get("/tools/double/"))
    assert "there is no data source" in page
    draft = ToolDraft.objects.get()
    assert (draft.document["data_source"], draft.owner) == ("shop", "admin")
    assert draft.document["record_arguments"] == "full"
    again = admin.post(restore, {"as_draft": "1"}, headers=HTMX)
    assert "There is a draft of this tool already" in text_of(again)


def test_restoring_works_without_javascript_and_leaves_the_draft(admin: Client) -> None:
    publish("a")
    tool = publish("a * 2")
    open_draft(tool, "ann")
    restore = "/tools/double/versions/1/restore/"

    asked = text_of(admin.post(restore))
    answer = admin.post(restore, {"confirmed": "1"})

    assert '<form class="pane" method="post" action="/tools/double/versions/1/restore/">' in asked
    assert answer["Location"] == "/tools/double/versions/"
    assert ToolDraft.objects.exists()


def test_what_is_served_already_makes_no_version(admin: Client) -> None:
    publish("a")

    answer = admin.post("/tools/double/versions/1/restore/", {"confirmed": "1"}, follow=True)

    assert "Nothing to restore" in text_of(answer)
    assert ToolVersion.objects.count() == 1


def test_who_only_reads_sees_versions_and_restores_none(staff_with: StaffWith) -> None:
    publish("a")
    publish("a * 2")
    reader = staff_with("view_tooldefinition")

    page = text_of(reader.get("/tools/double/versions/"))

    assert "/versions/1/restore/" not in page
    assert reader.post("/tools/double/versions/1/restore/").status_code == 403
    assert reader.get("/tools/double/versions/1/restore/").status_code == 403


def test_versions_are_for_those_who_may_see_tools(staff_with: StaffWith) -> None:
    publish("a")
    stranger = staff_with()

    for address in ("", "1/", "1/diff/"):
        assert stranger.get(f"/tools/double/versions/{address}").status_code == 403
