"""Two people at the same moment: one of them wins, the other is told."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from core.errors import DefinitionError, StaleDraftError, ToolboxError
from tests.factories import make_expression
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.history.versions import record_versions
from toolbuilder.models import ToolDraft
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*actions: Callable[[], object]) -> list[type[Exception]]:
    """The errors of these actions, which begin together in threads of their own."""
    barrier = Barrier(len(actions))

    def act(action: Callable[[], object]) -> type[Exception] | None:
        try:
            barrier.wait(10)
            action()
        except ToolboxError as error:
            return type(error)
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(len(actions)) as pool:
        return [error for error in pool.map(act, actions) if error]


def test_one_of_two_wins_and_nothing_is_written_twice() -> None:
    draft = open_draft(make_expression(name="times"), "ann")
    one, two = (draft.document | {"title": title} for title in ("one", "two"))
    saves = [
        lambda document=document: save_draft(
            draft.uid, document, PageState(username="ann", revision=1)
        )
        for document in (one, two)
    ]
    assert at_once(*saves) == [StaleDraftError]
    assert ToolDraft.objects.get().revision == 2

    at_once(record_versions, record_versions)
    assert ToolDefinition.objects.get().versions.count() == 1

    new = ToolDocument(name="double", tool_type="PYTHON", definition="1 + 1")
    drafts = [open_draft(None, "ann", new) for _ in range(2)]
    errors = at_once(*(lambda draft=draft: publish_tool(draft, "ann") for draft in drafts))
    assert errors == [DefinitionError]
    assert ToolDefinition.objects.get(name="double").versions.count() == 1

    tool = ToolDefinition.objects.get(name="times")
    opened = at_once(lambda: open_draft(tool, "ann"), lambda: open_draft(tool, "bob"))
    assert opened == []
