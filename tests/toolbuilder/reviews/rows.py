"""People, drafts and reviews of tests."""

from typing import Any

from django.contrib.auth.models import User

from access.models import RoleGrant, Toolset
from tests.factories import make_expression, make_toolset
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.models import ToolDraft, ToolReview
from toolbuilder.reviews.deciding import ask_for_review
from tools.models import ToolDefinition


def make_person(name: str, role: str = "", toolset: Toolset | None = None) -> User:
    """Somebody, with that role on the toolset or over all."""
    person = User.objects.create_user(name)
    if role:
        RoleGrant.objects.create(user=person, role=role, toolset=toolset)
    return person


def make_reviewed_tool(name: str = "times") -> ToolDefinition:
    """A tool of the toolset `kr`, whose changes are reviewed."""
    make_toolset("kr", name, review="other")
    return make_expression(name=name, description_agent="Multiplies two numbers exactly.")


def change(tool: ToolDefinition | None, username: str = "ann", **fields: Any) -> ToolDraft:
    """The person's draft of the tool, with these fields."""
    draft = open_draft(tool, username)
    page_state = PageState(username=username, revision=draft.revision)
    return save_draft(draft.uid, draft.document | fields, page_state)


def ask(tool: ToolDefinition, username: str = "ann", note: str = "", **fields: Any) -> ToolReview:
    """A review of the tool with these fields changed."""
    draft = change(tool, username, **fields or {"definition": "a * b * 1"})
    return ask_for_review(draft, username, note)
