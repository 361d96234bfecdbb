"""Which tools, drafts and versions a person sees: those on data sources that they may use."""

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT

from access.roles.rights import tool_reach
from catalog.rights import closed_sources, on_open_source
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS
from toolbuilder.models import (
    SearchQuestion,
    ToolDraft,
    ToolDraftQuerySet,
    ToolReplay,
    ToolReview,
    ToolVersion,
)
from tools.models import ToolDefinition, ToolDefinitionQuerySet

Rows = TypeVar("Rows", bound="QuerySet[Any]")


def visible_tools(user: User) -> ToolDefinitionQuerySet:
    """Tools of the default data source, of none, and of those that the user may use.

    For somebody who has only roles of toolsets, those in these toolsets.
    """
    return ToolDefinition.objects.filter(_on_open_source(user))


def sees_tool(user: User, tool: ToolDefinition) -> bool:
    """Whether it is one of `visible_tools`, without asking the database for it again."""
    is_closed = tool.data_source_id in closed_sources(user)
    return not is_closed and tool_reach(user, SEE_TOOLS).holds(tool)


def editable_tools(user: User) -> ToolDefinitionQuerySet:
    """Visible tools that the user may change: where roles of toolsets say so, in no toolset of others."""
    return visible_tools(user).filter(tool_reach(user, CHANGE_TOOLS).filter())


def visible_drafts(user: User) -> ToolDraftQuerySet:
    """Drafts of visible tools, and of new ones, that name no data source closed to the user.

    What people have written themselves and not published stays theirs, to be mended or discarded.
    """
    open_to_user = _without_closed(ToolDraft.objects.filter(_on_open_source(user, "tool__")), user)
    own = Q(owner=user.get_username(), tool=None)
    return ToolDraft.objects.filter(own | Q(pk__in=open_to_user.values("pk")))


def visible_versions(user: User) -> "QuerySet[ToolVersion]":
    """Versions of visible tools, and of deleted ones, that name no data source closed to the user."""
    return _without_closed(ToolVersion.objects.filter(_on_open_source(user, "tool__")), user)


def visible_reviews(user: User) -> "QuerySet[ToolReview]":
    """Reviews of visible tools, and of new ones, that name no data source closed to the user."""
    of_tool = Q(tool__isnull=False) & _on_open_source(user, "tool__")
    # A new tool is where its name and tags will put it.
    of_new = Q(tool=None) & tool_reach(user, SEE_TOOLS).filter()
    own = Q(tool=None, asked_by=user.get_username())
    return _without_closed(ToolReview.objects.filter(of_tool | of_new | own), user)


def visible_replays(user: User) -> "QuerySet[ToolReplay]":
    """Replays of visible tools that name no data source closed to the user."""
    return _without_closed(ToolReplay.objects.filter(_on_open_source(user, "tool__")), user)


def visible_questions(user: User) -> "QuerySet[SearchQuestion]":
    """Saved questions that expect no tool hidden from the user."""
    hidden = sorted(hidden_tool_names(user))
    questions = SearchQuestion.objects.all()
    return questions.exclude(expected__has_any_keys=hidden) if hidden else questions


def hidden_tool_names(user: User) -> frozenset[str]:
    """Names of tools, present and past, whose calls the user does not see; one query if there are none."""
    if not tool_reach(user, SEE_TOOLS).is_all:
        seen = visible_tools(user).values("pk")
        hidden = ToolDefinition.objects.exclude(pk__in=seen).values_list("name", flat=True)
        former = ToolVersion.objects.exclude(tool__in=seen).values_list("tool_name", flat=True)
        return frozenset(hidden) | frozenset(former.order_by().distinct())
    closed = closed_sources(user)
    if not closed:
        return frozenset()
    present = ToolDefinition.objects.filter(data_source__in=closed)
    versions = ToolVersion.objects.annotate(source_name=KT("document__data_source")).order_by()
    past = versions.filter(source_name__in=closed.values()).exclude(
        tool_name__in=ToolDefinition.objects.values("name")
    )
    return frozenset(present.values_list("name", flat=True)) | frozenset(
        past.values_list("tool_name", flat=True)
    )


def _on_open_source(user: User, of_tool: str = "") -> Q:
    """Of a tool, or of what has `of_tool` before its columns; True of what has no tool."""
    reached = tool_reach(user, SEE_TOOLS).filter(of_tool)
    return reached & on_open_source(user, f"{of_tool}data_source")


def _without_closed(rows: Rows, user: User) -> Rows:
    if not (closed := closed_sources(user)):
        return rows
    named = rows.annotate(source_name=KT("document__data_source"))
    return named.filter(Q(source_name=None) | ~Q(source_name__in=closed.values()))
