"""Pages of reviews, and asking for one in the editor."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from access.models import CallRecord, Outcome
from tests.catalog.rows import make_table
from tests.factories import make_expression, make_tool, make_toolset
from tests.toolbuilder.reviews.rows import ask, change, make_person, make_reviewed_tool
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import ReviewState, ToolDraft, ToolReview, ToolVersion, VersionOrigin
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres", "_english")]
NEW = {"definition": "a * b * 1", "description_agent": "Multiplies two numbers and one."}


def browser_of(person: User) -> Client:
    browser = Client()
    browser.force_login(person)
    return browser


@pytest.fixture
def kim(db: None) -> Client:
    """The browser of a reviewer."""
    return browser_of(make_person("kim", "reviewer"))


@pytest.fixture
def ann(db: None) -> Client:
    """The browser of an author."""
    return browser_of(make_person("ann", "author"))


def text_of(response: Any) -> str:
    return str(response.content.decode())


def text_of_button(page: str) -> str:
    """What the button that publishes says, on a page or in the parts of one that a change sends."""
    found = re.search(r'(?:id|hx-target)="#?publish-text"[^>]*>([^<]*)<', page)
    return found[1].strip() if found else ""


def test_page_shows_what_changes_and_what_speaks_against_it(kim: Client) -> None:
    tool = make_reviewed_tool()
    CallRecord.objects.create(tool_name="times", caller="sales-agent", outcome=Outcome.OK, duration_ms=1, at=timezone.now())  # fmt: skip
    review = ask(tool, note="Times one.", **NEW)

    text = text_of(kim.get(f"/reviews/{review.pk}/"))

    for said in ("Times one.", "sales-agent", "No parameter removed", "Approve and publish"):
        assert said in text
    assert "<mark> * 1</mark>" in text
    assert "Multiplies two numbers and one." in text


def test_author_sees_no_buttons_of_a_reviewer(ann: Client) -> None:
    review = ask(make_reviewed_tool())

    text = text_of(ann.get(f"/reviews/{review.pk}/"))

    assert "Somebody else approves this." in text
    assert "Approve and publish" not in text


def test_reviewer_publishes_from_the_page(kim: Client) -> None:
    review = ask(make_reviewed_tool())

    response = kim.post(f"/reviews/{review.pk}/decide/", {"action": "publish"}, follow=True)

    assert "times is published, version" in text_of(response)
    assert ToolVersion.objects.latest("number").reviewed_by == "kim"


def test_refusal_is_told_on_the_page_with_what_was_written(kim: Client) -> None:
    tool = make_reviewed_tool()
    review = ask(tool)
    change(tool, definition="a * b * 2")

    response = kim.post(f"/reviews/{review.pk}/decide/", {"action": "publish", "text": "Fine."})

    assert response.status_code == 422
    assert "its author has to ask again" in text_of(response)
    assert "Fine." in text_of(response)


def test_author_decides_by_no_post_either(ann: Client) -> None:
    review = ask(make_reviewed_tool())

    response = ann.post(f"/reviews/{review.pk}/decide/", {"action": "publish"})

    assert response.status_code == 422
    assert "Nobody approves their own change" in text_of(response)
    assert ToolReview.objects.get().state == ReviewState.WAITING


def test_comment_stands_under_its_line_until_it_is_resolved(kim: Client) -> None:
    review = ask(make_reviewed_tool())
    kim.post(f"/reviews/{review.pk}/comment/", {"text": "Why?", "line": "1"})
    comment = review.comments.get(kind="COMMENT")

    assert f'id="comment-{comment.pk}"' in text_of(kim.get(f"/reviews/{review.pk}/"))
    kim.post(f"/reviews/{review.pk}/comment/", {"text": "So.", "parent": comment.pk})
    kim.post(f"/reviews/{review.pk}/comments/{comment.pk}/resolve/")

    text = text_of(kim.get(f"/reviews/{review.pk}/"))
    assert f'id="comment-{comment.pk}"' not in text
    assert "So." in text


def test_editor_asks_for_a_review_in_place_of_publishing(ann: Client) -> None:
    tool = make_reviewed_tool()
    draft = change(tool, **NEW)
    form = {"revision": draft.revision, "name": "times", "tool_type": "PYTHON", **NEW}
    page = text_of(ann.get("/tools/times/"))

    asked = text_of(ann.post("/tools/times/publish/", form))
    response = ann.post("/tools/times/publish/", {**form, "confirmed": "1", "note": "One more."})

    assert "Ask for review" in page
    assert "Changes of tools in kr are approved by another" in asked
    review = ToolReview.objects.get()
    assert response["Location"] == f"/reviews/{review.pk}/"
    assert (review.note, review.asked_by) == ("One more.", "ann")
    assert "This draft waits for another person" in text_of(ann.get("/tools/times/"))
    assert ToolDefinition.objects.get().definition == "a * b"


def test_button_of_the_editor_follows_what_is_approved(kim: Client, ann: Client) -> None:
    review = ask(make_reviewed_tool(), **NEW)
    draft = ToolDraft.objects.get()
    form = {"revision": draft.revision, "name": "times", "tool_type": "PYTHON", **NEW}
    kim.post(f"/reviews/{review.pk}/decide/", {"action": "approve"})

    opened = text_of(ann.get("/tools/times/"))
    form["definition"] = "a * b * 2"
    changed = text_of(ann.post("/tools/times/analyse/", form, headers={"HX-Request": "true"}))

    assert text_of_button(opened) == "Publish"
    assert text_of_button(changed) == "Ask for review"


def test_version_is_opened_as_a_draft_where_a_review_is_needed(ann: Client) -> None:
    tool = make_reviewed_tool()
    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED))
    ToolDefinition.objects.update(definition="a + b")

    refused = ann.post("/tools/times/versions/1/restore/", {"confirmed": "1"})
    opened = ann.post("/tools/times/versions/1/restore/", {"as_draft": "1"}, follow=True)

    assert "Open it as a draft" in text_of(refused)
    assert "Your draft says what version 1 said." in text_of(opened)
    assert ToolDraft.objects.get().document["definition"] == "a * b"
    assert ToolDefinition.objects.get().definition == "a + b"


def test_list_shows_what_waits_for_whom(
    kim: Client, ann: Client, django_assert_num_queries: Any
) -> None:
    make_toolset("kr", tags=["kr"], review="other")
    for number in range(3):
        ask(make_expression(name=f"times_{number}", tags=["kr"]))
    other = browser_of(make_person("lee", "viewer"))

    with django_assert_num_queries(13):
        text = text_of(kim.get("/reviews/"))

    assert text.count("/reviews/") >= 3
    assert "times_1" in text
    assert "Nothing waits for you" in text_of(ann.get("/reviews/"))
    assert "times_1" in text_of(ann.get("/reviews/?show=mine"))
    assert "times_1" not in text_of(other.get("/reviews/"))


def test_back_office_does_not_save_what_is_reviewed() -> None:
    tool = make_reviewed_tool()
    admin = browser_of(User.objects.create_superuser("root"))

    response = admin.post(f"/admin/tools/tooldefinition/{tool.pk}/change/", {"name": "times"})

    assert "ask for a review there" in text_of(response)


def test_page_names_the_tables_of_the_change_and_not_of_what_is_served(kim: Client) -> None:
    make_table("old_stock", {"amount": {"type_name": "integer"}})
    make_table("new_stock", {"amount": {"type_name": "integer"}})
    make_toolset("kr", "stock", review="other")
    tool = make_tool("SELECT 1 AS amount", name="stock")
    review = ask(tool, title="Stock")
    review.document |= {"definition": "SELECT amount FROM new_stock"}
    review.save()
    ToolDefinition.objects.update(definition="SELECT amount FROM old_stock")

    page = kim.get(f"/reviews/{review.pk}/").context["page"]

    assert [table.name for table in page.tables] == ["new_stock"]
