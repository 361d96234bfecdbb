"""What a reviewer sees of a change: both states, what speaks against it, who calls it, the conversation."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.models import ApiKey
from access.reader_language import in_language, stored_text
from catalog.models import CatalogTable
from catalog.sources.settings import SourceSettings, read_sources
from core.errors import DefinitionError
from core.lint import AdviceLevel
from toolbuilder.cases.gate import CaseResults, check_cases
from toolbuilder.editing.advice import advise_draft, show_advice
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.examining import Examined, examine
from toolbuilder.editing.trial import list_entry
from toolbuilder.history.difference_view import (
    ShownDifference,
    ShownText,
    show_difference,
    show_text,
)
from toolbuilder.models import (
    ReviewComment,
    ReviewState,
    ToolCase,
    ToolReplay,
    ToolReview,
    ToolVersion,
)
from toolbuilder.replays.reading import recorded_calls
from toolbuilder.replays.running import count_failing, find_replay
from toolbuilder.reviews.deciding import explain_stale
from toolbuilder.reviews.rules import is_author, may_review
from toolbuilder.reviews.side_by_side import SideBySide, lay_side_by_side
from tools.definitions import ToolDocument
from tools.models import ToolDefinition
from tools.uses.refresh import find_tables

_CALLERS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class ReviewCheck:
    """Something that was looked at: `tone` is ok, warn or bad; `note` explains it, '' if nothing does."""

    tone: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ShownCaller:
    """Who calls the tool, how often in 30 days, and that as a part of the most of them in percent."""

    name: str
    calls: int
    share: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """All that the page shows; `stale` is '' or why nobody can decide. `failing` counts replayed calls."""

    review: ToolReview
    served_version: int | None
    sides: SideBySide
    difference: ShownDifference
    agent_view: ShownText | None
    checks: tuple[ReviewCheck, ...]
    callers: tuple[ShownCaller, ...]
    tables: tuple[CatalogTable, ...]
    comments: tuple[ReviewComment, ...]
    replay: ToolReplay | None
    failing: int
    red_count: int
    stale: str
    is_author: bool
    may_decide: bool

    @property
    def needs_reason(self) -> bool:
        """Whether approving asks why."""
        return bool(self.failing or self.red_count)


def build_review_page(review: ToolReview, user: User) -> ReviewPage:
    """The page of the review for this person."""
    sources = read_sources()
    new = ToolDocument.model_validate(review.document)
    old = read_base(review)
    tool_id = review.tool.pk if review.tool else 0
    examined = examine(DraftDocument(tool=new), sources, user.get_username(), tool_id=tool_id)
    replay = find_replay(review.tool, review.content_hash) if review.is_open else None
    failing = count_failing(replay)
    results = _run_cases(review, new, sources, user)
    sides = lay_side_by_side(old, new)
    comments = _read_comments(review)
    _place(comments, sides, review)
    stale = explain_stale(review) if review.is_open else None
    tables = find_tables(examined.spec) if examined.spec else []
    return ReviewPage(
        review=review,
        served_version=review.tool.version if review.tool else None,
        sides=sides,
        # The logic has a place of its own.
        difference=show_difference(old, new.replace(definition=old.definition)),
        agent_view=_compare_entries(old, new, sources),
        checks=(
            *_tell_cases(results),
            *_check(old, new, examined, sources, failing=failing),
        ),
        red_count=len(results.blocking),
        callers=_read_callers(review.tool),
        tables=tuple(tables),
        comments=comments,
        replay=replay,
        failing=failing,
        stale=in_language(stale) if stale else "",
        is_author=is_author(user, review),
        may_decide=review.state == ReviewState.WAITING and not stale and may_review(user, review),
    )


def read_base(review: ToolReview) -> ToolDocument:
    """What was served when the review was asked for, as far as it is known; of a new tool nothing."""
    if not review.base_hash or review.tool is None:
        return ToolDocument()
    versions = ToolVersion.objects.filter(tool=review.tool, content_hash=review.base_hash)
    if version := versions.first():
        return ToolDocument.model_validate(version.document)
    return ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=review.tool.pk))


def _run_cases(
    review: ToolReview, new: ToolDocument, sources: SourceSettings, user: User
) -> CaseResults:
    """The tool's cases against the change, run now unless they ran a moment ago."""
    rows = list(ToolCase.objects.of(review.tool, review.draft)) if review.is_open else []
    with suppress(DefinitionError):
        return check_cases(rows, new, sources, user.get_username(), is_fresh_enough=True)
    return CaseResults()


def _tell_cases(results: CaseResults) -> Iterator[ReviewCheck]:
    count, red = len(results.rows), len(results.blocking)
    if count:
        words = {"green": count - red, "count": count}
        text = ngettext(
            "%(green)d of %(count)d case green", "%(green)d of %(count)d cases green", count
        )
        yield ReviewCheck("bad" if red else "ok", text % words, _("run for this page"))
    if results.skipped:
        text = ngettext("%d case was not run", "%d cases were not run", results.skipped)
        yield ReviewCheck(
            "warn", text % results.skipped, _("the tool writes: run them in the editor")
        )
    for row in results.blocking:
        yield ReviewCheck("bad", row.name, stored_text(row, "failure"))


def _check(
    old: ToolDocument,
    new: ToolDocument,
    examined: Examined,
    sources: SourceSettings,
    *,
    failing: int,
) -> Iterator[ReviewCheck]:
    """What speaks against the change, and what does not."""
    for fault in [
        *(found.message for found in examined.analysis.diagnostics),
        *examined.faults.values(),
    ]:
        yield ReviewCheck("bad", in_language(fault))
    if failing:
        text = ngettext("%d recorded call fails now", "%d recorded calls fail now", failing)
        yield ReviewCheck("bad", text % failing, _("see the replay"))
    breaking = show_difference(old, new).breaking if old.name else ()
    for change in breaking:
        yield ReviewCheck("bad", change.text, _("calls that agents make today are refused"))
    if old.name and not breaking:
        yield ReviewCheck(
            "ok", _("No parameter removed or newly required"), _("old calls keep their form")
        )
    if examined.spec is None:
        return
    for advice in map(show_advice, advise_draft(examined.spec)):
        if advice.level is not AdviceLevel.SUGGESTION:
            yield ReviewCheck("warn", advice.text)
    with suppress(DefinitionError):
        tokens = list_entry(examined.spec)[1]
        text = ngettext("%d token in every conversation", "%d tokens in every conversation", tokens)
        before = list_entry(old.to_spec(sources))[1] if old.name else None
        note = _("was %d") % before if before is not None else ""
        yield ReviewCheck("ok", text % tokens, note)


def _compare_entries(
    old: ToolDocument, new: ToolDocument, sources: SourceSettings
) -> ShownText | None:
    """What of the entry in `tools/list` changes; None if agents see no difference."""
    texts = []
    for side in (old, new):
        text = ""
        with suppress(DefinitionError):
            if side.name:
                text = json.dumps(
                    list_entry(side.to_spec(sources))[0], ensure_ascii=False, indent=2
                )
        texts.append(text)
    return show_text(_("What agents see"), *texts) if texts[0] != texts[1] else None


def _read_comments(review: ToolReview) -> tuple[ReviewComment, ...]:
    """What was written, oldest first, answers at the comment they answer; one query."""
    rows = list(review.comments.all())
    answers: dict[int | None, list[ReviewComment]] = defaultdict(list)
    for row in rows:
        answers[row.parent_id].append(row)
    for row in answers[None]:
        row.answers = answers[row.pk]  # type: ignore[attr-defined]
        row.is_outdated = bool(row.line) and row.content_hash != review.content_hash  # type: ignore[attr-defined]
    return tuple(answers[None])


def _place(comments: tuple[ReviewComment, ...], sides: SideBySide, review: ToolReview) -> None:
    """Put open comments on the lines they are about."""
    rows = {row.new.number: row for row in sides.rows if row.new}
    for comment in comments:
        is_current = comment.line and comment.content_hash == review.content_hash
        if is_current and not comment.resolved_by and comment.line in rows:
            rows[comment.line].threads.append(comment)


def _read_callers(tool: ToolDefinition | None) -> tuple[ShownCaller, ...]:
    """Who called the tool in the last 30 days, most first."""
    if tool is None:
        return ()
    calls = recorded_calls(tool.name).order_by()
    rows = list(calls.values("key_id", "caller").annotate(calls=Count("pk")).order_by("-calls"))
    names = dict(
        ApiKey.objects.filter(key_id__in=[row["key_id"] for row in rows[:_CALLERS_SHOWN]])
        .order_by()
        .values_list("key_id", "name")
    )
    most = rows[0]["calls"] if rows else 1
    return tuple(
        ShownCaller(
            names.get(row["key_id"]) or row["caller"] or "–",
            row["calls"],
            max(1, 100 * row["calls"] // most),
        )
        for row in rows[:_CALLERS_SHOWN]
    )
