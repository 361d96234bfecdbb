"""Which recorded calls of a tool can be run again, each set of arguments once, and as whom."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from access.call_arguments import is_kept_whole
from access.models import ApiKey, CallRecord, Outcome
from core.bindings import CallerFacts
from core.errors import EditError
from core.http_logic import is_writing, read_operation
from core.messages import message
from core.toolspec import HttpLogic, ToolSpec
from toolbuilder.editing.running import facts_of

DAYS = 30
# Such calls never came to the tool, or not to their end.
_LEFT_OUT = (
    Outcome.REFUSED,
    Outcome.LIMITED,
    Outcome.BUSY,
    Outcome.CANCELLED,
    Outcome.UNKNOWN_TOOL,
)


@dataclass(slots=True)
class RepeatableCall:
    """A recorded call, the newest with its arguments, and how many there were with them."""

    record: CallRecord
    times: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCalls:
    """The newest calls of a tool: those that can be repeated, newest first, and how many cannot be.

    Of `not_kept` ones the arguments are not stored, of `without_facts` ones the key is gone, whose
    facts the tool needs. `recorded` counts all calls of the last 30 days.
    """

    calls: list[RepeatableCall] = field(default_factory=list)
    found: int = 0
    not_kept: int = 0
    without_facts: int = 0
    recorded: int = 0


def require_reading(specs: Iterable[ToolSpec]) -> None:
    """Raise EditError for a tool that may write: to repeat its calls would do again what they did."""
    for spec in specs:
        if isinstance(spec.logic, HttpLogic) and is_writing(spec.logic):
            method = read_operation(spec.logic.operation).method
            raise EditError(
                message(
                    "replay.writes",
                    "{name} sends {method} requests, which may write; its calls are not repeated",
                    name=spec.name,
                    method=method.upper(),
                )
            )


def recorded_calls(tool_name: str) -> "QuerySet[CallRecord]":
    """The calls of the last 30 days that came to the tool, newest first."""
    since = timezone.now() - timedelta(days=DAYS)
    calls = CallRecord.objects.filter(tool_name=tool_name, at__gte=since)
    return calls.exclude(outcome__in=_LEFT_OUT).order_by("-at", "-id")


def find_calls(tool_name: str, requested: int, *, depends_on_caller: bool) -> FoundCalls:
    """The newest `requested` calls of the tool, by their arguments; three queries at most.

    Of a tool whose answer depends on the caller, calls by two keys are two.
    """
    calls = recorded_calls(tool_name)
    newest = list(calls[:requested])
    keys = set(read_facts(call.key_id for call in newest)) if depends_on_caller else set()
    repeatable: dict[tuple[str, str], RepeatableCall] = {}
    not_kept = without_facts = 0
    for call in newest:
        if not is_kept_whole(call.arguments):
            not_kept += 1
        elif depends_on_caller and call.key_id not in keys:
            without_facts += 1
        else:
            arguments = json.dumps(call.arguments, sort_keys=True)
            place = arguments, call.key_id if depends_on_caller else ""
            repeatable.setdefault(place, RepeatableCall(call)).times += 1
    return FoundCalls(
        calls=list(repeatable.values()),
        found=len(newest),
        not_kept=not_kept,
        without_facts=without_facts,
        recorded=calls.count(),
    )


def read_facts(key_ids: Iterable[str]) -> dict[str, CallerFacts]:
    """What is known now of the keys that are there, by key id; one query."""
    keys = ApiKey.objects.select_related("owner").filter(key_id__in=set(key_ids) - {""})
    return {key.key_id: facts_of(key) for key in keys}
