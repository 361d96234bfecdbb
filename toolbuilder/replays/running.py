"""A replay: begun, carried on a few calls at a time, and stopped.

Its rows hold what is done and what is not, so that it goes on after a reload, and in any process.
"""

from dataclasses import dataclass
from time import monotonic

from django.db import transaction

from catalog.sources.settings import SourceSettings, read_sources, require_usable
from core.answer_differences import ComparedAnswer, compare_answers
from core.bindings import NOBODY
from core.errors import EditError, StoppedError, ToolboxError
from core.json_text import to_storable
from core.messages import message
from core.results import Answer
from core.toolspec import ToolSpec
from toolbuilder.editing.running import depends_on_caller, runnable
from toolbuilder.models import ReplayedCall, ReplayResult, ReplayState, ToolReplay
from toolbuilder.replays.differences import keep_difference
from toolbuilder.replays.reading import find_calls, read_facts, require_reading
from tools.definitions import ToolDocument
from tools.models import ToolDefinition
from tools.source_loop import shared_loop
from tools.timed_runs import run_timed

SIZES = (10, 50, 200)
# A request carries a replay on for so long, and then ends the call that it is at.
_TURN_S = 1.0
# Older replays of the tool go: they hold parts of answers.
_KEPT = 5


@dataclass(frozen=True, slots=True)
class _Sides:
    """The two states of a tool, compiled for the same sources."""

    served: ToolSpec
    draft: ToolSpec
    sources: SourceSettings


def start_replay(
    tool: ToolDefinition, document: ToolDocument, username: str, requested: int = 50
) -> ToolReplay:
    """A replay of the tool's newest calls against the document; its calls are not run yet.

    Raises EditError for a tool that may write, DefinitionError for a document that cannot be read.
    """
    served = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk))
    sides = _read_sides(served, document, tool.pk)
    specs = (sides.served, sides.draft)
    require_reading(specs)
    depends = any(depends_on_caller(spec, sides.sources) for spec in specs)
    found = find_calls(served.name, requested, depends_on_caller=depends)
    with transaction.atomic():
        replay = ToolReplay.objects.create(
            tool=tool,
            document=document.to_document(),
            content_hash=document.content_hash,
            served=served.to_document(),
            started_by=username,
            state=ReplayState.RUNNING if found.calls else ReplayState.DONE,
            requested=requested,
            found=found.found,
            not_kept=found.not_kept,
            without_facts=found.without_facts,
            recorded=found.recorded,
        )
        rows = [
            ReplayedCall(
                replay=replay,
                call_id=call.record.pk,
                arguments=call.record.arguments,
                times=call.times,
                key_id=call.record.key_id,
                caller=call.record.caller,
                at=call.record.at,
                is_callers_own=depends,
            )
            for call in found.calls
        ]
        ReplayedCall.objects.bulk_create(rows)
        others = ToolReplay.objects.filter(tool=tool)
        newest = list(others.values_list("pk", flat=True)[:_KEPT])
        others.exclude(pk__in=newest).delete()
    return replay


def advance_replay(replay: ToolReplay, username: str) -> ToolReplay:
    """The replay after another second of it, or one call; the user's right to the source counts.

    Two who carry it on at once share its calls. A call that is stopped, or whose process ends, is run
    again by the next one.
    """
    sides = _read_sides(
        ToolDocument.model_validate(replay.served),
        ToolDocument.model_validate(replay.document),
        replay.tool_id,
    )
    require_usable(sides.sources, sides.served.logic, username)
    require_usable(sides.sources, sides.draft.logic, username)
    pending = replay.calls.filter(result=ReplayResult.PENDING)
    running = ToolReplay.objects.filter(pk=replay.pk, state=ReplayState.RUNNING)
    ends_at = monotonic() + _TURN_S
    while monotonic() < ends_at and running.exists():
        with transaction.atomic():
            call = pending.select_for_update(skip_locked=True).first()
            if call is None:
                break
            try:
                _replay_call(call, sides, username)
            except StoppedError:
                break
    if not pending.exists():
        running.update(state=ReplayState.DONE)
    replay.refresh_from_db()
    return replay


def stop_replay(replay: ToolReplay) -> None:
    """Run no more of its calls, and stop the one that runs in this process."""
    running = ToolReplay.objects.filter(pk=replay.pk, state=ReplayState.RUNNING)
    if running.update(state=ReplayState.STOPPED):
        shared_loop().stop(_key_of(replay.pk))


def find_replay(tool: ToolDefinition | None, content_hash: str) -> ToolReplay | None:
    """The newest replay of that document; None if there is none, or what is served has changed since."""
    if tool is None:
        return None
    replay = ToolReplay.objects.filter(tool=tool, content_hash=content_hash).first()
    served = ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk))
    if replay is None or ToolDocument.model_validate(replay.served) != served:
        return None
    return replay


def count_failing(replay: ToolReplay | None) -> int:
    """How many calls of the replay fail now and did not before."""
    return replay.calls.filter(result=ReplayResult.FAILS_NOW).count() if replay else 0


def _read_sides(served: ToolDocument, document: ToolDocument, tool_id: int) -> _Sides:
    sources = read_sources()
    specs = [side.to_spec(sources, tool_id=tool_id) for side in (served, document)]
    if served == document:
        raise EditError(
            message("replay.same", "The draft says what is served; there is nothing to compare.")
        )
    return _Sides(runnable(specs[0]), runnable(specs[1]), sources)


def _replay_call(call: ReplayedCall, sides: _Sides, username: str) -> None:
    """Run it on both sides, and keep what differs. Raises StoppedError."""
    facts = NOBODY
    if call.is_callers_own:
        known = read_facts([call.key_id])
        if call.key_id not in known:
            gone = message("replay.key_gone", "The key of this call is gone.")
            call.result, call.what_message = ReplayResult.STILL_FAILS, gone.to_json()
            call.save()
            return
        facts = known[call.key_id]
    specs = [sides.served, sides.draft]
    # In turns, so that neither side always finds the database warm.
    order = (0, 1) if call.pk % 2 else (1, 0)
    runs = {
        side: run_timed(
            specs[side],
            call.arguments,
            sides.sources,
            facts,
            caller=username,
            key=_key_of(call.replay_id),
            is_counted=False,
        )
        for side in order
    }
    old, new = runs[0], runs[1]
    for run in runs.values():
        if isinstance(run.result, StoppedError):
            raise run.result
    call.old_ms, call.new_ms = old.elapsed_ms, new.elapsed_ms
    call.old_tokens, call.new_tokens = old.tokens, new.tokens
    _judge(call, old.result, new.result)
    call.save()


def _judge(call: ReplayedCall, old: Answer | ToolboxError, new: Answer | ToolboxError) -> None:
    """Note in the row what became of the call."""
    if isinstance(new, ToolboxError):
        is_new = isinstance(old, Answer)
        call.result = ReplayResult.FAILS_NOW if is_new else ReplayResult.STILL_FAILS
        call.what_message = to_storable(new.message.to_json())
        return
    if isinstance(old, ToolboxError):
        call.result = ReplayResult.WORKS_NOW
        call.what_message = to_storable(old.message.to_json())
        return
    difference = compare_answers(ComparedAnswer.of_answer(old), ComparedAnswer.of_answer(new))
    if not difference:
        call.result = ReplayResult.SAME
        return
    call.result = ReplayResult.DIFFERS
    call.what_message = difference.explain().to_json()
    call.difference = keep_difference(difference)


def _key_of(replay_id: int) -> str:
    return f"replay\0{replay_id}"
