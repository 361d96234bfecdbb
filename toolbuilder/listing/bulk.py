"""What is done to several tools at once: which a form chooses, and their tags."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, QueryDict
from django.utils import timezone

from access.models import Toolset
from access.toolsets.models import ToolsetReview, read_toolsets
from access.views.gates import user_of
from core.errors import EditError, ReviewNeededError
from core.grants import ToolsetSpec
from core.messages import Message, message
from toolbuilder.exchange.ownership import require_not_owned
from toolbuilder.gates import may_change
from toolbuilder.history.versions import OUTSIDE, VersionEntry, record_all
from toolbuilder.listing.tool_list import ToolListState, find_listed
from toolbuilder.models import VersionOrigin
from toolbuilder.reviews.rules import explain_need, find_unapproved, tag_texts
from toolbuilder.visibility import visible_tools
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

MAX_CHANGED_TOGETHER = 10_000
# Each of them gets a version of its own.
MAX_TAGGED_TOGETHER = 1_000
MAX_TAG_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class ChosenTools:
    """The tools of a form: `ids` of defined ones that the user sees, `others` the names of those of other kinds.

    `shown` are the ids of those that the page shows.
    """

    ids: list[int]
    others: list[str]
    shown: frozenset[int]


@dataclass(frozen=True, slots=True)
class TagOutcome:
    """The ids of the tools that were changed, and why others were not, by name."""

    changed: list[int] = field(default_factory=list)
    refused: dict[str, Message] = field(default_factory=dict)


def read_chosen(request: HttpRequest) -> ChosenTools:
    """The ticked `tool` and `other` boxes, the `ids` of an undo; with `every` all that match the `filter`."""
    given, user = request.POST if request.method == "POST" else request.GET, user_of(request)
    shown = _read_ids(given.getlist("tool"))
    if given.get("every") == "yes":
        state = ToolListState.read(QueryDict(given.get("filter", "")))
        listed = find_listed(state, user)[:MAX_CHANGED_TOGETHER]
        others = [tool.name for tool in listed if tool.other]
        return ChosenTools([tool.id for tool in listed if tool.id], others, frozenset(shown))
    texts = [*given.getlist("tool"), *given.get("ids", "").split(",")]
    ids = _read_ids(texts)[:MAX_CHANGED_TOGETHER]
    seen = set(visible_tools(user).filter(pk__in=ids).values_list("pk", flat=True))
    ids = [tool_id for tool_id in dict.fromkeys(ids) if tool_id in seen]
    return ChosenTools(ids, given.getlist("other"), frozenset(shown))


def tag_tools(ids: Collection[int], tag: str, user: User, *, is_added: bool) -> TagOutcome:
    """Give the tools the tag, or take it from them, each as a version of its own.

    Those that have it already stay as they are; those of other rights, reviews or files are refused
    alone. Raises EditError for a tag that cannot be one, and for too many tools.
    """
    if not tag or len(tag) > MAX_TAG_CHARACTERS or {",", "\0"} & set(tag):
        raise EditError(
            message(
                "bulk.tag",
                "a tag has 1 to {limit} characters and no comma",
                limit=MAX_TAG_CHARACTERS,
            )
        )
    if len(ids) > MAX_TAGGED_TOGETHER:
        raise EditError(
            message(
                "bulk.too_many",
                "at most {limit} tools can be tagged at once; narrow the filter",
                limit=MAX_TAGGED_TOGETHER,
            )
        )
    outcome, changed, watched = TagOutcome(), list[ToolDefinition](), _read_watched()
    author, note = user.get_username(), f"+ {tag}" if is_added else f"- {tag}"
    entry = VersionEntry(origin=VersionOrigin.PUBLISHED, author=author, note=note)
    with transaction.atomic():
        rows = ToolDefinition.objects.present().whole().filter(pk__in=ids).order_by("pk")
        for tool in rows.select_for_update(of=("self",)):
            tags = tag_texts(tool.tags)
            if (tag in tags) is is_added:
                continue
            tags = [*tags, tag] if is_added else [one for one in tags if one != tag]
            try:
                _require_open(tool, tags, user, watched)
            except (EditError, ReviewNeededError) as error:
                outcome.refused[tool.name] = error.message
                continue
            tool.tags, tool.updated_by, tool.updated_at = tags, entry.author, timezone.now()
            changed.append(tool)
        outcome.changed.extend(tool.pk for tool in changed)
        # First what other programs have written, so that a version of a tag is of the tag alone.
        record_all(dict.fromkeys(outcome.changed, OUTSIDE))
        ToolDefinition.objects.bulk_update(changed, ["tags", "updated_by", "updated_at"], 500)
        record_all(dict.fromkeys(outcome.changed, entry))
    return outcome


def _read_watched() -> list[ToolsetSpec]:
    """The toolsets that ask for reviews, and those that are owned by files."""
    asking = Q(review=ToolsetReview.OTHER) | Q(owned_by_files=True)
    names = set(Toolset.objects.filter(asking).values_list("name", flat=True))
    return [spec for name, spec in read_toolsets().items() if name in names] if names else []


def _require_open(
    tool: ToolDefinition, tags: list[str], user: User, watched: Collection[ToolsetSpec]
) -> None:
    """Raise EditError or ReviewNeededError where the user may not serve the tool with these tags at once."""
    snapshot = ToolDocument.of_row(tool).model_copy(update={"tags": tags})
    if not (may_change(user, tool) and may_change(user, snapshot)):
        raise EditError(
            message("bulk.no_right", "you may not change it, or not put it where the tag would")
        )
    places = (tag_texts(tool.tags), tags)
    if any(spec.holds(tool.name, placed) for spec in watched for placed in places):
        require_not_owned([tool, snapshot])
        if toolsets := find_unapproved(tool, snapshot):
            raise explain_need(toolsets)


def _read_ids(texts: Collection[str]) -> list[int]:
    """Numbers of rows; the column is narrower than what a form may say."""
    numbers = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 11]
    return [number for number in numbers if number < 2**31]
