"""A draft has one writer at a time, and nobody's work is overwritten unseen."""

import uuid
from typing import Any

import pytest

from core.errors import DefinitionError, DraftOwnedError, EditError, StaleDraftError
from tests.factories import make_expression
from toolbuilder.editing.drafts import (
    PageState,
    discard_draft,
    open_draft,
    read_draft,
    rebase_draft,
    save_draft,
    take_over,
)
from toolbuilder.models import ToolDraft
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db


def save(draft: ToolDraft, username: str = "ann", **fields: Any) -> ToolDraft:
    document = draft.document | fields
    return save_draft(draft.uid, document, PageState(username=username, revision=draft.revision))


def test_draft_of_a_tool_says_what_is_served() -> None:
    tool = make_expression(name="times")

    draft = open_draft(tool, "ann")

    document = read_draft(draft).tool
    assert (document.name, document.definition) == ("times", "a * b")
    assert [one.param_name for one in document.parameters] == ["a", "b"]
    assert (draft.owner, draft.is_changed) == ("ann", False)


def test_second_user_sees_the_same_draft() -> None:
    tool = make_expression()
    draft = open_draft(tool, "ann")

    assert open_draft(tool, "bob").uid == draft.uid
    assert ToolDraft.objects.get().owner == "ann"


def test_saved_draft_has_a_new_revision_and_counts_as_changed() -> None:
    draft = save(open_draft(make_expression(), "ann"), definition="a + b")

    assert draft.revision == 2
    assert list(ToolDraft.objects.changed()) == [draft]


def test_draft_that_says_the_same_keeps_its_revision() -> None:
    draft = open_draft(make_expression(), "ann")

    assert save(draft).revision == draft.revision


def test_test_values_are_kept_and_are_no_change_of_the_tool() -> None:
    draft = save(open_draft(make_expression(), "ann"), test_values={"a": None})

    assert read_draft(ToolDraft.objects.get()).test_values == {"a": None}
    assert not draft.is_changed


def test_unfinished_tool_is_saved() -> None:
    draft = open_draft(None, "ann")

    assert save(draft, definition="SELECT :", parameters=[{}]).revision == 2


def test_stale_save_is_refused_with_what_is_there() -> None:
    draft = open_draft(make_expression(), "ann")
    save(draft, definition="a + b")

    with pytest.raises(StaleDraftError, match="saved elsewhere") as caught:
        save(draft, definition="a - b")

    assert caught.value.current["definition"] == "a + b"


def test_save_by_another_user_is_refused_until_the_draft_is_taken_over() -> None:
    draft = open_draft(make_expression(), "ann")
    with pytest.raises(DraftOwnedError, match="ann is editing this tool") as caught:
        save(draft, "bob", definition="a + b")
    assert caught.value.owner == "ann"

    save(take_over(draft.uid, "bob"), "bob", definition="a + b")

    with pytest.raises(DraftOwnedError, match="bob is editing"):
        save(draft, "ann")


def test_discarded_draft_leaves_what_is_served() -> None:
    draft = save(open_draft(make_expression(), "ann"), definition="a + b")

    discard_draft(draft.uid, PageState(username="ann", revision=draft.revision))

    assert not ToolDraft.objects.exists()
    assert ToolDefinition.objects.get().definition == "a * b"


def test_draft_that_is_gone_is_told_of() -> None:
    with pytest.raises(StaleDraftError, match="published or discarded"):
        save_draft(uuid.uuid4(), {}, PageState(username="ann", revision=1))


def test_rebased_draft_stands_on_what_is_served_now() -> None:
    draft = save(open_draft(make_expression(), "ann"), definition="a + b")
    ToolDefinition.objects.update(definition="a + b")

    rebased = rebase_draft(draft.uid, PageState(username="ann", revision=draft.revision))

    assert not rebased.is_changed


def test_draft_of_a_new_tool_has_nothing_to_stand_on() -> None:
    draft = open_draft(None, "ann")

    with pytest.raises(EditError, match="never published"):
        rebase_draft(draft.uid, PageState(username="ann", revision=1))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        pytest.param([], "JSON object", id="list"),
        pytest.param({"defintion": "1"}, "no defintion; there are", id="unknown field"),
        pytest.param({"name": 1}, "name must be text", id="number for text"),
        pytest.param({"row_limit": "10"}, "row_limit must be a whole number", id="text"),
        pytest.param({"row_limit": True}, "row_limit must be a whole number", id="flag"),
        pytest.param({"row_limit": 2**31}, "row_limit must be a whole number", id="large"),
        pytest.param({"definition": "a\0"}, "cannot be stored", id="NUL"),
        pytest.param({"annotations": {"\ud800": 1}}, "cannot be stored", id="surrogate"),
        pytest.param({"tags": [float("nan")]}, "JSON does not know", id="NaN"),
        pytest.param({"tags": {1, 2}}, "tags must be JSON", id="set"),
        pytest.param({"parameters": {}}, "parameters must be a list", id="parameters"),
        pytest.param({"parameters": [{}] * 201}, "at most 200", id="too many"),
        pytest.param({"parameters": [{"nullable": 1}]}, "true or false", id="flag as number"),
        pytest.param({"definition": "x" * 1_000_001}, "longer than", id="long"),
        pytest.param({"test_values": []}, "test_values must be", id="test values"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_its_name(document: Any, message: str) -> None:
    draft = open_draft(None, "ann")

    with pytest.raises(DefinitionError, match=message):
        save_draft(draft.uid, document, PageState(username="ann", revision=1))
