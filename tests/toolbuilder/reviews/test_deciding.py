"""Who may decide on a change, what becomes of it, and that nothing gets by."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.utils import timezone

from access.models import CallRecord, Outcome, Toolset
from config.services.postgres import EmbeddedPostgres
from core.errors import EditError, RedCasesError, ReviewNeededError, ToolboxError
from tests.factories import make_toolset
from tests.toolbuilder.cases.rows import add_case, case_of
from tests.toolbuilder.reviews.rows import ask, change, make_person, make_reviewed_tool
from tests.waiting import wait_until
from toolbuilder.editing.drafts import PageState, discard_draft, take_over
from toolbuilder.editing.publishing import publish_snapshot, publish_tool, restore_version
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import ReviewState, ToolDraft, ToolReview, ToolVersion, VersionOrigin
from toolbuilder.replays.running import advance_replay, start_replay
from toolbuilder.reviews.deciding import (
    approve,
    approve_and_publish,
    ask_for_review,
    explain_stale,
    send_back,
    withdraw,
    write_comment,
)
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


def test_change_of_a_reviewed_toolset_is_published_by_nobody_alone() -> None:
    tool = make_reviewed_tool()

    with pytest.raises(ReviewNeededError, match="ask for a review"):
        publish_tool(change(tool, definition="a * b * 1"), "ann")

    assert ToolDefinition.objects.get().definition == "a * b"


def test_approved_change_is_served_as_its_authors_with_the_reviewers_name() -> None:
    tool = make_reviewed_tool()
    review = ask(tool, note="Nothing new.")

    published = approve_and_publish(review.pk, make_person("kim", "reviewer"))

    review.refresh_from_db()
    version = ToolVersion.objects.latest("number")
    assert ToolDefinition.objects.get().definition == "a * b * 1"
    assert (version.published_by, version.reviewed_by) == ("ann", "kim")
    assert version.note == "Nothing new."
    assert (review.state, review.version_number) == (ReviewState.PUBLISHED, version.number)
    assert published.version == version
    assert not ToolDraft.objects.exists()


def test_approval_lets_the_author_publish_that_very_draft() -> None:
    tool = make_reviewed_tool()
    approve(ask(tool).pk, make_person("kim", "reviewer"))

    publish_tool(ToolDraft.objects.get(), "ann")

    assert ToolVersion.objects.latest("number").reviewed_by == "kim"
    assert ToolReview.objects.get().state == ReviewState.PUBLISHED


def test_new_tool_that_would_enter_the_toolset_by_a_tag_is_reviewed() -> None:
    make_toolset("kr", tags=["kr"], review="other")
    draft = change(None, name="new", tool_type="PYTHON", definition="1 + 1", tags=["kr"])

    with pytest.raises(ReviewNeededError):
        publish_tool(draft, "ann")
    approve_and_publish(ask_for_review(draft, "ann").pk, make_person("kim", "reviewer"))

    assert ToolDefinition.objects.get().is_active
    assert ToolReview.objects.get().tool == ToolDefinition.objects.get()


def test_tool_that_was_renamed_is_still_reviewed() -> None:
    tool = make_reviewed_tool()
    draft = change(tool, name="product")
    ask_for_review(draft, "ann", old_names_days=30)
    approve_and_publish(ToolReview.objects.get().pk, make_person("kim", "reviewer"))

    tool.refresh_from_db()
    with pytest.raises(ReviewNeededError):
        publish_tool(change(tool, definition="a * b * 1"), "ann")


def test_change_does_not_leave_the_toolset_unseen() -> None:
    tool = make_reviewed_tool()

    with pytest.raises(ReviewNeededError):
        publish_tool(change(tool, name="other"), "ann")


def test_restoring_and_importing_are_no_way_around() -> None:
    tool = make_reviewed_tool()
    version = record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED))
    assert version is not None
    ToolDefinition.objects.update(definition="a + b")

    with pytest.raises(ReviewNeededError):
        restore_version(version, "ann")
    with pytest.raises(ReviewNeededError):
        publish_snapshot(
            tool,
            ToolDocument.of_row(tool).replace(title="x"),
            VersionEntry(origin=VersionOrigin.IMPORTED),
        )


def test_operator_goes_without_a_review_for_a_reason_that_stays() -> None:
    tool = make_reviewed_tool()
    entry = VersionEntry(origin=VersionOrigin.IMPORTED, unreviewed_because="the night is short")

    publish_snapshot(tool, ToolDocument.of_row(tool).replace(title="x"), entry)

    assert ToolVersion.objects.latest("number").note == "No review: the night is short"


def test_nobody_approves_their_own() -> None:
    tool = make_reviewed_tool()
    ann = User.objects.create_superuser("ann")
    review = ask(tool)

    with pytest.raises(EditError, match="their own"):
        approve_and_publish(review.pk, ann)


def test_who_wrote_in_the_draft_before_does_not_approve_it() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "reviewer")
    draft = change(tool, "kim", definition="a * b * 1")
    draft = take_over(draft.uid, "ann")
    review = ask_for_review(draft, "ann")

    with pytest.raises(EditError, match="their own"):
        approve(review.pk, kim)


def test_who_takes_the_draft_over_does_not_approve_it_as_their_own() -> None:
    tool = make_reviewed_tool()
    review = ask(tool)
    kim = make_person("kim", "administrator")
    take_over(ToolDraft.objects.get().uid, "kim")

    with pytest.raises(EditError, match="kim has taken the draft over"):
        approve_and_publish(review.pk, kim)

    asked = ask_for_review(ToolDraft.objects.get(), "kim")
    assert asked.authors == ["ann", "kim"]
    with pytest.raises(EditError, match="their own"):
        approve(asked.pk, kim)


def test_who_approved_a_change_does_not_publish_it_as_their_own() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "administrator")
    approve(ask(tool).pk, kim)

    taken = take_over(ToolDraft.objects.get().uid, "kim")

    with pytest.raises(ReviewNeededError):
        publish_tool(taken, "kim")
    back = take_over(taken.uid, "ann")
    assert publish_tool(back, "ann").version.reviewed_by == "kim"


def test_reviewer_of_another_toolset_may_not_decide() -> None:
    tool = make_reviewed_tool()
    other = make_person("lee", "reviewer", make_toolset("us"))
    author = make_person("park", "author")
    review = ask(tool)

    for person in (other, author):
        with pytest.raises(EditError, match="may not review"):
            approve(review.pk, person)
    assert ToolReview.objects.get().state == ReviewState.WAITING


def test_reviewer_of_the_toolset_may_decide() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "reviewer", Toolset.objects.get(name="kr"))

    assert approve(ask(tool).pk, kim).decided_by == "kim"


def test_draft_that_was_changed_since_has_to_be_asked_about_again() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "reviewer")
    review = ask(tool)
    change(tool, definition="a * b * 2")

    with pytest.raises(EditError, match="ask again"):
        approve_and_publish(review.pk, kim)
    again = ask_for_review(ToolDraft.objects.get(), "ann")

    assert again.pk == review.pk
    assert [comment.kind for comment in again.comments.all()] == ["ASKED", "ASKED"]
    assert approve_and_publish(review.pk, kim).tool.definition == "a * b * 2"


def test_approval_of_an_earlier_draft_publishes_nothing_else() -> None:
    tool = make_reviewed_tool()
    approve(ask(tool).pk, make_person("kim", "reviewer"))

    with pytest.raises(ReviewNeededError):
        publish_tool(change(tool, definition="a * b * 2"), "ann")


def test_tool_that_was_changed_since_makes_the_review_stale() -> None:
    tool = make_reviewed_tool()
    review = ask(tool)

    ToolDefinition.objects.update(title="changed by psql")

    assert "What is served was changed" in str(explain_stale(ToolReview.objects.get()))
    with pytest.raises(EditError):
        approve_and_publish(review.pk, make_person("kim", "reviewer"))


def test_call_that_fails_now_needs_a_reason_which_stays() -> None:
    tool = make_reviewed_tool()
    CallRecord.objects.create(tool_name="times", arguments={"a": 3, "b": 4}, outcome=Outcome.OK, duration_ms=1, at=timezone.now())  # fmt: skip
    kim = make_person("kim", "reviewer")
    review = ask(tool, definition="a * b / 0")
    replay = start_replay(tool, ToolDocument.model_validate(review.document), "kim")
    advance_replay(replay, "kim")

    with pytest.raises(EditError, match="One recorded call fails with this change"):
        approve_and_publish(review.pk, kim)
    approve_and_publish(review.pk, kim, "Nobody needs it any more.")

    assert ToolVersion.objects.latest("number").note == "Nobody needs it any more."
    assert review.comments.latest("pk").text == "Nobody needs it any more."


def test_review_is_sent_back_with_a_reason_and_asked_again() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "reviewer")
    review = ask(tool)

    with pytest.raises(EditError, match="Write what"):
        send_back(review.pk, kim, "")
    send_back(review.pk, kim, "Why times one?")

    assert ToolReview.objects.get().state == ReviewState.SENT_BACK
    with pytest.raises(EditError, match="waits for its author"):
        approve(review.pk, kim)


def test_withdrawn_and_discarded_reviews_are_over() -> None:
    tool = make_reviewed_tool()
    kim = make_person("kim", "reviewer")
    review = ask(tool)
    with pytest.raises(EditError, match="Only its authors"):
        withdraw(review.pk, "kim")
    withdraw(review.pk, "ann")
    with pytest.raises(EditError, match="ann has decided"):
        approve(review.pk, kim)

    second = ask_for_review(ToolDraft.objects.get(), "ann")
    draft = ToolDraft.objects.get()
    discard_draft(draft.uid, PageState(username="ann", revision=draft.revision))

    second.refresh_from_db()
    assert (second.state, second.draft) == (ReviewState.WITHDRAWN, None)
    with pytest.raises(EditError, match="ann has decided"):
        approve(second.pk, kim)


@pytest.mark.parametrize(
    ("changed_to", "state", "number"),
    [("a * b * 1", ReviewState.PUBLISHED, 2), ("a * b * 2", ReviewState.WITHDRAWN, None)],
    ids=["as it was asked about", "changed since"],
)
def test_review_is_over_once_its_draft_is_published_without_it(
    changed_to: str, state: ReviewState, number: int | None
) -> None:
    tool = make_reviewed_tool()
    review = ask(tool)
    Toolset.objects.update(review="nobody")

    publish_tool(change(tool, definition=changed_to), "ann")

    review.refresh_from_db()
    assert (review.state, review.version_number, review.decided_by) == (state, number, "ann")
    assert ToolVersion.objects.latest("number").reviewed_by == ""


def test_comment_on_a_line_that_is_not_there_is_refused() -> None:
    review = ask(make_reviewed_tool())

    comment = write_comment(review, "kim", " Why? ", line=1)
    answer = write_comment(review, "ann", "So.", parent=comment)

    assert (comment.text, answer.line, answer.parent) == ("Why?", 1, comment)
    with pytest.raises(EditError, match="no line 9"):
        write_comment(review, "kim", "Why?", line=9)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_publish_at_once_one_is_told_of_the_other() -> None:
    tool = make_reviewed_tool()
    review = ask(tool)
    people = [make_person("kim", "reviewer"), make_person("lee", "reviewer")]

    with ThreadPoolExecutor(2) as threads:
        told = sorted(threads.map(lambda person: _publish(review.pk, person), people))

    assert told[0] == ""
    assert "has decided on this review already" in told[1]
    assert ToolVersion.objects.filter(reviewed_by__in=["kim", "lee"]).count() == 1


@pytest.mark.django_db(transaction=True)
def test_others_may_decide_while_the_database_judges_the_change(
    embedded_postgres: EmbeddedPostgres,
) -> None:
    tool = make_reviewed_tool()
    kim, lee = make_person("kim", "reviewer"), make_person("lee", "reviewer")
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'held'::regclass"
    with (
        psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as owner,
        ThreadPoolExecutor(1) as threads,
    ):
        owner.execute("CREATE TABLE held AS SELECT 1 AS amount")
        owner.execute("GRANT SELECT ON held TO demo_reader")
        try:
            sql = "SELECT :a * :b * amount AS product FROM held"
            review = ask(tool, tool_type="SQL", definition=sql)
            with owner.transaction():
                owner.execute("LOCK TABLE held")
                published = threads.submit(_publish, review.pk, kim)
                wait_until(lambda: owner.execute(waiting).fetchone() == (1,))
                send_back(review.pk, lee, "Why another table?")
            told = published.result(60)
        finally:
            owner.execute("DROP TABLE held")

    assert "waits for its author" in told
    assert ToolDefinition.objects.get().definition == "a * b"


def _publish(review_id: int, person: User) -> str:
    """Why the person could not publish, '' if that was possible; in a thread of its own."""
    try:
        approve_and_publish(review_id, person)
    except ToolboxError as error:
        return str(error)
    finally:
        connection.close()
    return ""


def test_red_case_needs_a_reason_which_stays() -> None:
    tool = make_reviewed_tool()
    twelve = {"check": "value", "path": "$.result", "value": 12}
    add_case(tool, case_of("twelve", twelve, arguments={"a": 3, "b": 4}))
    kim = make_person("kim", "reviewer")
    review = ask(tool, definition="a * b + 1")

    with pytest.raises(RedCasesError):
        approve_and_publish(review.pk, kim)
    approve_and_publish(review.pk, kim, "It was wrong before.")

    assert "It was wrong before." in ToolVersion.objects.latest("number").note


def test_only_the_author_is_told_by_mail_of_comments_and_decisions(
    settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    settings.EMAIL_HOST, settings.REDIS_URL = "mail.example.org", ""
    kim = make_person("kim", "reviewer")
    for name in ("ann", "lee"):
        User.objects.create_user(name, email=f"{name}@example.org")
    User.objects.filter(username="kim").update(email="kim@example.org")

    with django_capture_on_commit_callbacks(execute=True):
        review = ask(make_reviewed_tool())
        write_comment(review, "kim", "Why times one?", line=1)
        write_comment(review, "ann", "So.")
        send_back(review.pk, kim, "Please explain it.")

    assert [sent.to for sent in mail.outbox] == [["ann@example.org"]] * 2
    assert [sent.subject for sent in mail.outbox] == ["Review of times"] * 2
    first, second = (str(sent.body) for sent in mail.outbox)
    assert first.startswith("kim wrote\n\nWhy times one?")
    assert second.startswith("kim sent it back\n\nPlease explain it.")
    assert second.endswith(f"/reviews/{review.pk}/")
