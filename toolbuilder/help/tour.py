"""The tour of a minute through the editor, for people who have published no tool yet."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from toolbuilder.models import ToolVersion


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step: the element of the page that it is about, which may be hidden, and what it says."""

    target: str
    title: Promise
    text: Promise


STEPS = (
    TourStep(
        "#explorer",
        _("Tables"),
        _("The tables that you may query. Enter or a double click puts a name into the query; resting on a column shows what is in it."),
    ),
    TourStep(
        "#logic",
        _("Logic"),
        _("Write a query, an expression or a script, or a request. Where a value goes, write :name in SQL, or a plain name in Python."),
    ),
    TourStep(
        ".parameters",
        _("Parameters"),
        _("Each name has a row here, with the type that the database finds. Say in a sentence what the agent should put there."),
    ),
    TourStep(
        "#definition-pane",
        _("Describe"),
        _("The agent chooses by these words: what the tool answers, when to use it, and when not."),
    ),
    TourStep(
        "#result",
        _("Result"),
        _("Ctrl+Enter runs it as an agent's call would. The tabs show rows, a chart, what the agent sees, the plan, and saved test cases."),
    ),
    TourStep(
        "#publish",
        _("Publish"),
        _("Nobody sees a draft. Published, every connected agent has the tool a second later, and each version can be brought back."),
    ),
)  # fmt: skip


def needs_tour(user: User, layout: Mapping[str, int]) -> bool:
    """Whether the tour is offered: by what is kept of this person it was neither had nor left, and nothing was published."""
    published = ToolVersion.objects.filter(published_by=user.get_username()).order_by()
    return not layout.get("tour") and not published.exists()
