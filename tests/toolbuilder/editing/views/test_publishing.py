"""Publishing from the editor: what is asked before, what is refused, and who else is editing."""

from typing import Any

import pytest
from django.test import Client

from catalog.models import DataSource
from tests.factories import make_expression, make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import PageState, open_draft, save_draft, take_over
from toolbuilder.editing.publishing import archive, publish_tool
from toolbuilder.models import ToolDraft, ToolTrial
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"
CLEAN = ToolDocument(
    name="double",
    title="Double",
    description_agent="Doubles one number. Use it when a number has to be doubled exactly.",
    tool_type="PYTHON",
    definition="a * 2",
    annotations={"readOnlyHint": True},
    parameters=(
        ParameterDocument(
            param_name="a", param_type="NUMBER", description="The number to double.", example=21
        ),
    ),
)


def new_draft(tool: ToolDocument = CLEAN, owner: str = "admin") -> ToolDraft:
    return open_draft(None, owner, tool)


def edit(draft: ToolDraft, **fields: Any) -> ToolDraft:
    """The draft saved by its owner in another window."""
    page_state = PageState(username=draft.owner, revision=draft.revision)
    return save_draft(draft.uid, draft.document | fields, page_state)


def served() -> ToolDefinition:
    """The clean tool, published by ann."""
    return publish_tool(open_draft(None, "ann", CLEAN), "ann").tool


def note_success(work: ToolDraft | ToolDefinition, tool: ToolDocument = CLEAN) -> None:
    """A test run of this logic that went well."""
    ToolTrial.objects.create(
        username="admin",
        logic_hash=tool.logic_hash,
        **{"draft" if isinstance(work, ToolDraft) else "tool": work},
    )


def publish(client: Client, address: str, *, revision: int = 0, **fields: Any) -> Any:
    given = {"revision": revision, "page_token": "here", **fields}
    return client.post(f"{address}publish/", given, headers=HTMX)


def address_of(draft: ToolDraft) -> str:
    return f"/tools/~/drafts/{draft.uid}/"


def test_clean_new_tool_that_was_tried_is_live_at_once(admin: Client) -> None:
    draft = new_draft()
    note_success(draft)

    answer = publish(admin, address_of(draft), revision=1)

    assert answer["HX-Replace-Url"] == "/tools/double/"
    tool = ToolDefinition.objects.get()
    assert (tool.is_active, tool.version, tool.created_by) == (True, 1, "admin")
    assert "double is live: every connected agent has it now." in text_of(answer)
    assert "Connect an agent" in text_of(answer)


def test_tool_that_nobody_tried_is_asked_for_and_then_published_with_its_note(
    admin: Client,
) -> None:
    draft = new_draft()

    asked = publish(admin, address_of(draft), revision=1)
    answer = publish(admin, address_of(draft), revision=1, confirmed="1", note=" first ")

    assert "Nobody has run this logic with success yet." in text_of(asked)
    assert "Publish anyway" in text_of(asked)
    assert answer["HX-Replace-Url"] == "/tools/double/"
    assert ToolDefinition.objects.get().versions.get().note == "first"


def test_tool_that_another_one_resembles_is_asked_for_with_the_words_that_tell_them_apart(
    admin: Client,
) -> None:
    near = CLEAN.replace(
        name="double_money",
        title="Double money",
        description_agent="Doubles one amount of money. Use it when a number has to be doubled exactly.",
    )
    served()
    draft = new_draft(near)
    note_success(draft, near)

    asked = publish(admin, address_of(draft), revision=1)

    [pair] = asked.context["review"].near
    assert (pair.name, pair.near.name) == ("double_money", "double")
    assert pair.near.own_words == ("money", "amount")
    assert "Tools that answer the same questions" in text_of(asked)
    # By words the search tells them apart already: no text would find more.
    assert 'data-take="description_agent"' not in text_of(asked)
    publish(admin, address_of(draft), revision=1, confirmed="1")
    again = publish(admin, "/tools/double_money/", description_user="For people")
    assert "<dialog" not in text_of(again)


def test_what_is_typed_is_published_and_the_page_goes_on(admin: Client) -> None:
    served()

    answer = publish(
        admin, "/tools/double/", description_user="<b>For people</b>", description_agent=CLEAN.description_agent
    )  # fmt: skip

    tool = ToolDefinition.objects.get()
    assert (tool.description_user, tool.version) == ("<b>For people</b>", 2)
    assert '"tool:published": {"target": "body", "version": 2}' in answer["HX-Trigger"]
    assert "<dialog" not in text_of(answer)
    assert not ToolDraft.objects.exists()


def test_breaking_changes_and_advice_are_told_before(admin: Client) -> None:
    served()
    row: dict[str, Any] = {
        "parameter": "a",
        "a-name": "a",
        "a-type": "STRING",
        "a-description": "",
        "a-example": "",
    }

    asked = publish(admin, "/tools/double/", **row)

    text = text_of(asked)
    assert "a was NUMBER and is now STRING." in text
    assert "Agents that call it the old way will get an error." in text
    assert 'data-focus="p-a-description"' in text
    assert "Look at the changes" in text
    assert ToolDefinition.objects.get().version == 1


def test_renamed_tool_is_asked_for_and_has_a_new_address(admin: Client) -> None:
    served()

    asked = publish(admin, "/tools/double/", name="twice")
    answer = publish(admin, "/tools/double/", revision=2, name="twice", confirmed="1")

    assert "Publish double as twice?" in text_of(asked)
    assert answer["HX-Replace-Url"] == "/tools/twice/"
    assert '"old": "/tools/double/", "new": "/tools/twice/"' in answer["HX-Trigger"]


@pytest.mark.parametrize(
    ("fields", "told", "field"),
    [
        pytest.param({"name": ""}, "Give the tool a name.", "name", id="no name"),
        pytest.param({"name": "a b"}, "Letters, digits, _ and -", "name", id="bad name"),
        pytest.param({"name": "taken"}, "there is a tool called taken", "name", id="taken"),
        pytest.param({"name": "old"}, "an archived tool called old", "name", id="archived one"),
        pytest.param({"definition": "a *"}, "", "definition", id="logic"),
        pytest.param(
            {"parameter": "a", "a-name": "a", "a-type": "NUMBER", "a-minimum": HOSTILE},
            "minimum",
            "p-a-type",
            id="parameter",
        ),
    ],
)
def test_tool_that_cannot_be_served_is_refused_with_its_faults(
    admin: Client, fields: dict[str, str], told: str, field: str
) -> None:
    make_tool(name="taken")
    archive([make_tool(name="old").pk], "ann")
    draft = new_draft()

    answer = publish(admin, address_of(draft), revision=1, confirmed="1", **fields)

    assert answer.status_code == 422
    assert told in text_of(answer)
    assert f'href="#{field}" data-dialog-close data-focus="{field}"' in text_of(answer)
    assert "Publish anyway" not in text_of(answer)
    assert HOSTILE not in text_of(answer)
    assert not ToolDefinition.objects.filter(name="double").exists()


def test_archived_tool_is_not_published(admin: Client) -> None:
    archive([served().pk], "ann")

    answer = publish(admin, "/tools/double/", title="New", confirmed="1")

    assert answer.status_code == 422
    assert "double is archived; bring it back first." in text_of(answer)


def test_who_may_not_use_the_data_source_publishes_nothing_on_it(staff_with: StaffWith) -> None:
    address = {"host": "127.0.0.1", "database": "d", "username": "u"}
    DataSource.objects.create(name="secret", is_restricted=True, **address)
    draft = new_draft(ToolDocument(name="x", definition="SELECT 1", data_source="secret"), "kim")
    client = staff_with("view_tooldefinition", "add_tooldefinition")

    answer = publish(client, address_of(draft), revision=1, confirmed="1")

    assert answer.status_code == 422
    assert "may not use the data source" in text_of(answer)


@pytest.mark.parametrize(
    "rights", [(), ("view_tooldefinition",), ("view_tooldefinition", "add_tooldefinition")]
)
def test_publishing_a_change_needs_the_right_to_change(
    staff_with: StaffWith, rights: tuple[str, ...]
) -> None:
    served()

    assert publish(staff_with(*rights), "/tools/double/", title="x").status_code == 403


def test_nothing_to_publish_is_said(admin: Client) -> None:
    served()

    answer = publish(admin, "/tools/double/")

    assert "Nothing to publish" in answer["HX-Trigger"]
    assert ToolDefinition.objects.get().version == 1


def test_inactive_tool_says_how_agents_get_it(admin: Client) -> None:
    served()
    ToolDefinition.objects.update(is_active=False)

    page, answer = admin.get("/tools/double/"), publish(admin, "/tools/double/")

    assert "agents have it once it is activated" in answer["HX-Trigger"]
    assert 'hx-post="/tools/~/active/"' in text_of(page)
    assert ">Activate</button>" in text_of(page)


def test_tool_that_was_changed_meanwhile_is_overwritten_only_when_asked(admin: Client) -> None:
    tool = served()
    edit(open_draft(tool, "admin"), title="Mine")
    ToolDefinition.objects.update(title="<i>Theirs</i>", updated_by="bob")

    conflict = publish(admin, "/tools/double/", revision=2, confirmed="1")
    answer = publish(admin, "/tools/double/", revision=2, confirmed="1", overwrites="1")

    assert conflict.status_code == 409
    assert conflict["HX-Retarget"] == "#dialogs"
    assert "&lt;i&gt;Theirs&lt;/i&gt;" in text_of(conflict)
    assert "bob" in text_of(conflict)
    assert answer.status_code == 200
    assert ToolDefinition.objects.get().title == "Mine"


def test_draft_goes_on_from_what_is_served_when_asked(admin: Client) -> None:
    tool = served()
    edit(open_draft(tool, "admin"), title="Mine")
    ToolDefinition.objects.update(title="Theirs")

    publish(admin, "/tools/double/", revision=2, rebases="1")
    publish(admin, "/tools/double/", revision=3)

    assert ToolDefinition.objects.get().title == "Mine"


def test_publishing_works_without_javascript(admin: Client) -> None:
    draft = new_draft()
    form = {"revision": 1, "page_token": "t", "title": "Typed"}

    asked = admin.post(f"{address_of(draft)}publish/", form)
    again = {"revision": 2, "page_token": "t", "confirmed": "1", "note": "n"}
    answer = admin.post(f"{address_of(draft)}publish/", again)

    assert '<form class="pane" method="post"' in text_of(asked)
    assert answer["Location"] == "/tools/double/"
    assert ToolDefinition.objects.get().title == "Typed"


def test_late_save_is_answered_with_what_is_different(admin: Client) -> None:
    draft = edit(new_draft(), title=HOSTILE)

    answer = admin.post(
        f"{address_of(draft)}analyse/", {"revision": 1, "title": "Mine"}, headers=HTMX
    )
    kept = admin.post(
        f"{address_of(draft)}analyse/", {"revision": 2, "title": "Mine"}, headers=HTMX
    )

    assert answer.status_code == 409
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#dialogs", "innerHTML")
    assert "&lt;script&gt;" in text_of(answer)
    assert HOSTILE not in text_of(answer)
    assert "<ins>Mine</ins>" in text_of(answer)
    assert """hx-vals='{"revision": "2"}'""" in text_of(answer)
    assert kept.status_code == 200
    assert ToolDraft.objects.get().document["title"] == "Mine"


def test_late_save_without_javascript_keeps_what_was_typed_on_its_page(admin: Client) -> None:
    draft = edit(new_draft(), title="Theirs")

    answer = admin.post(address_of(draft), {"revision": 1, "title": 'Mine "<'})

    assert answer.status_code == 409
    assert 'name="title" value="Mine &quot;&lt;"' in text_of(answer)
    assert 'name="revision" value="2"' in text_of(answer)


def test_draft_that_is_gone_can_be_made_anew(admin: Client) -> None:
    served()
    analyse = "/tools/double/analyse/"

    answer = admin.post(analyse, {"revision": 3, "title": "Mine"}, headers=HTMX)
    kept = admin.post(analyse, {"revision": 0, "title": "Mine"}, headers=HTMX)

    assert "It was published or discarded meanwhile." in text_of(answer)
    assert """hx-vals='{"revision": "0"}'""" in text_of(answer)
    assert kept.status_code == 200
    assert ToolDraft.objects.get().document["title"] == "Mine"


def test_draft_of_somebody_else_is_taken_over_with_what_was_typed(admin: Client) -> None:
    draft = edit(open_draft(served(), "ann"), title="Theirs")
    analyse = "/tools/double/analyse/"
    form = {"revision": 2, "title": "Mine"}

    answer = admin.post(analyse, form, headers=HTMX)
    taken = admin.post(analyse, {**form, "takes_over": "1"}, headers=HTMX)

    assert answer.status_code == 409
    assert "ann is editing this tool" in text_of(answer)
    assert ToolDraft.objects.get(pk=draft.pk).owner == "admin"
    assert taken["HX-Redirect"] == "/tools/double/"
    assert ToolDraft.objects.get().document["title"] == "Mine"


def test_save_after_a_take_over_is_refused(admin: Client) -> None:
    draft = new_draft()
    take_over(draft.uid, "ann")

    answer = admin.post(f"{address_of(draft)}publish/", {"revision": 1}, headers=HTMX)

    assert answer.status_code == 409
    assert "ann is editing this tool" in text_of(answer)
    assert not ToolDefinition.objects.exists()


def test_changes_are_shown_line_by_line(admin: Client) -> None:
    make_expression("a\n* b", name="multiply")

    page = text_of(
        admin.post("/tools/multiply/changes/", {"definition": "a\n* 2 -- <b>"}, headers=HTMX)
    )

    assert "<del>* b</del>" in page
    assert "<ins>* 2 -- &lt;b&gt;</ins>" in page
    assert not ToolDraft.objects.exists()


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "dialog"])
def test_changes_of_a_new_draft_are_all_of_it(admin: Client, headers: dict[str, str]) -> None:
    draft = new_draft(ToolDocument(name=HOSTILE, definition=HOSTILE))

    page = text_of(admin.get(f"{address_of(draft)}changes/", headers=headers))

    assert "Never published: all of it is new" in page
    assert "Discard the draft" in page
    assert HOSTILE not in page


def test_duplicate_leads_to_the_editor_of_a_new_draft(admin: Client) -> None:
    served()

    answer = admin.post("/tools/double/duplicate/")

    draft = ToolDraft.objects.get()
    assert (draft.name, draft.owner, draft.tool) == ("double_copy", "admin", None)
    assert answer["Location"] == address_of(draft)


def test_duplicate_needs_the_right_to_add(staff_with: StaffWith) -> None:
    served()

    client = staff_with("view_tooldefinition", "change_tooldefinition")

    assert client.post("/tools/double/duplicate/").status_code == 403
    assert client.get("/tools/double/duplicate/").status_code == 403
