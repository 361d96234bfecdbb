"""A working copy: found by name or draft, made by the first change, saved by the page that has it."""

import json
from dataclasses import replace

import pytest

from core.errors import DraftOwnedError, StaleDraftError
from tests.factories import make_expression, make_tool
from toolbuilder.editing.drafts import (
    DraftDocument,
    PageState,
    Work,
    discard_draft,
    find_work,
    open_draft,
    save_work,
    take_over,
)
from toolbuilder.models import ToolDraft

pytestmark = pytest.mark.django_db

ANN = PageState(username="ann", revision=0, page="tab-1")


@pytest.fixture
def work() -> Work:
    make_tool("SELECT 1 AS one", name="sales")
    return found("sales")


def found(name: str) -> Work:
    work = find_work(name)
    assert work is not None
    return work


def titled(work: Work, title: str) -> DraftDocument:
    return replace(work.document, tool=work.document.tool.replace(title=title))


def test_looking_makes_no_draft(work: Work) -> None:
    same = save_work(work, work.document, ANN)

    assert (same.draft, same.revision, same.owner, same.is_changed) == (None, 0, "", False)
    assert not ToolDraft.objects.exists()


def test_first_change_makes_the_draft(work: Work) -> None:
    saved = save_work(work, titled(work, "Sales"), ANN)

    assert (saved.owner, saved.is_changed) == ("ann", True)
    assert found("sales").document.tool.title == "Sales"


def test_answer_that_was_lost_makes_no_save_of_the_same_page_stale(work: Work) -> None:
    save_work(work, titled(work, "a"), ANN)

    saved = save_work(found("sales"), titled(work, "b"), ANN)

    assert saved.document.tool.title == "b"


def test_other_page_of_the_same_person_is_stale(work: Work) -> None:
    save_work(work, titled(work, "a"), ANN)

    with pytest.raises(StaleDraftError) as raised:
        save_work(found("sales"), titled(work, "b"), replace(ANN, page="tab-2"))

    assert raised.value.current["title"] == "a"


def test_page_is_stale_once_its_draft_was_elsewhere(work: Work) -> None:
    saved = save_work(work, titled(work, "a"), ANN)
    assert saved.draft
    take_over(saved.draft.uid, "bob")
    take_over(saved.draft.uid, "ann")

    with pytest.raises(StaleDraftError):
        save_work(found("sales"), titled(work, "b"), replace(ANN, revision=saved.revision))


def test_draft_of_another_person_is_kept(work: Work) -> None:
    save_work(work, titled(work, "a"), ANN)

    with pytest.raises(DraftOwnedError, match="ann is editing"):
        save_work(found("sales"), titled(work, "b"), replace(ANN, username="bob", page="tab-2"))


def test_draft_that_was_discarded_is_said(work: Work) -> None:
    saved = save_work(work, titled(work, "a"), ANN)
    assert saved.draft
    discard_draft(saved.draft.uid, replace(ANN, revision=saved.revision))

    with pytest.raises(StaleDraftError, match="draft is gone"):
        save_work(found("sales"), titled(work, "b"), replace(ANN, revision=saved.revision))


def test_new_tool_is_found_by_its_draft() -> None:
    draft = open_draft(None, "ann")

    work = find_work(uid=draft.uid)

    assert work is not None
    assert (work.tool, work.served, work.revision) == (None, None, 1)
    assert work.address == f"/tools/~/drafts/{draft.uid}/"
    assert work.action("test") == f"/tools/~/drafts/{draft.uid}/test/"


def test_what_is_not_there_is_not_found() -> None:
    assert find_work("nothing") is None


def test_logic_in_json_is_shown_as_text_and_is_no_change() -> None:
    make_tool(json.dumps({"sql": "SELECT 2 AS two"}), name="packed")
    make_expression(json.dumps({"expression": "a * b"}), name="packed_python")

    packed, python = found("packed"), found("packed_python")

    assert packed.document.tool.definition == "SELECT 2 AS two"
    assert python.document.tool.definition == "a * b"
    assert not packed.is_changed
