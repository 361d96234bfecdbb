"""The call log: the filters in its address, and the calls that it shows."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F, Func, JSONField, Q, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Concat
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from access.call_arguments import recorded_arguments
from access.figures import FAILED
from access.list_addresses import read_filters
from access.models import CallRecord, Outcome
from access.reader_language import templates_with
from access.replica import reading_connection
from access.visibility import hidden_tools, visible_calls
from core.formatting import format_csv

Row = TypeVar("Row")
PAGE_SIZE = 50
# Rows that are read for a file at a time.
EXPORT_CHUNK = 2_000
TOOLS_OFFERED = 500
# What many failures say fills a page from so many of the newest; what few say is found by an index of the texts.
NEWEST_FAILURES = 2_000
# Means every failure of a tool, see figures.FAILED.
ANY_FAILURE = "failed"
COLUMNS = (
    "at", "tool_name", "caller", "key_id", "outcome", "error", "duration_ms", "row_count",
    "truncated", "revision", "tool_version", "runtime_id", "request_id", "client_name",
    "client_version", "protocol", "session", "address", "endpoint", "trace_id", "called_as",
    "arguments",
)  # fmt: skip
_QUERY_CHARACTERS = 1_000
_ERROR = F("error")
# The same text, but no index has it: with the order of time alone, reading ends when a page is full.
_READ_ERROR = Concat(F("error"), Value(""), output_field=TextField())
# Those of the error and of the messages in it.
_TEMPLATES = Func(
    *(F("error_message"), Value("$.**.template")),
    function="jsonb_path_query_array",
    output_field=JSONField(),
)

# Each step is one look into the index on tool_name, however many calls there are.
_TOOLS = """
WITH RECURSIVE names AS (
    (SELECT tool_name FROM h_call_record ORDER BY tool_name LIMIT 1)
    UNION ALL
    SELECT (SELECT tool_name FROM h_call_record WHERE tool_name > names.tool_name
            ORDER BY tool_name LIMIT 1)
    FROM names WHERE names.tool_name IS NOT NULL
)
SELECT tool_name FROM names WHERE tool_name IS NOT NULL LIMIT %s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLogState:
    """The filters in the address of the log; empty means any.

    `start` and `end` are days or minutes, both included; `live` asks for new calls as they come. `before` and `after` are places in the log as `CallPage` gives them: older or newer calls.
    """

    q: str = ""
    tool: str = ""
    caller: str = ""
    key: str = ""
    outcome: str = ""
    client: str = ""
    ip: str = ""
    session: str = ""
    request: str = ""
    start: str = ""
    end: str = ""
    live: str = ""
    before: str = ""
    after: str = ""

    @classmethod
    def read(cls, given: QueryDict) -> "CallLogState":
        """From an address; what makes no sense in it is left out."""
        texts = read_filters(given, [field.name for field in fields(cls)], _QUERY_CHARACTERS)
        known = {"", ANY_FAILURE, *Outcome.values}
        return replace(
            cls(**texts),
            outcome=texts["outcome"] if texts["outcome"] in known else "",
            start=texts["start"] if _read_span(texts["start"]) else "",
            end=texts["end"] if _read_span(texts["end"]) else "",
            live="1" if texts["live"] else "",
        )

    @property
    def is_filtered(self) -> bool:
        """Whether calls may be missing from the log because of it."""
        return any(asdict(replace(self, live="", before="", after="")).values())

    @property
    def has_more_filters(self) -> bool:
        """Whether one is set that the page does not show at once."""
        return any((self.caller, self.client, self.ip, self.session, self.request))

    @property
    def query(self) -> str:
        """The filters as in an address, without a place."""
        return _encode(replace(self, live="", before="", after=""))

    @property
    def is_live(self) -> bool:
        """Whether the newest calls are shown as they come."""
        return bool(self.live) and not (self.before or self.after)

    @property
    def start_field(self) -> str:
        """What a field for a day and a time shows of `start`."""
        return _field_text(self.start, "T00:00")

    @property
    def end_field(self) -> str:
        """The same of `end`."""
        return _field_text(self.end, "T23:59")

    def address(self, **changes: str) -> str:
        """Of the log with these changes, from the newest call unless they say where."""
        query = _encode(replace(self, **{"before": "", "after": "", **changes}))
        return f"{reverse('calls')}{'?' if query else ''}{query}"


@dataclass(frozen=True, slots=True)
class CallPage:
    """One page of the log, newest first; `older` and `newer` are the places beside it, '' for none."""

    calls: list[CallRecord]
    older: str = ""
    newer: str = ""

    @property
    def newest(self) -> str:
        """The place of its first call, '' where it has none."""
        return _place_of(self.calls[0]) if self.calls else ""


def read_calls(state: CallLogState, user: User) -> CallPage:
    """The page that the state asks for, found by its place: page 1,000 costs what page 1 does."""
    calls = filter_calls(state, user).defer("arguments")
    if (place := _read_place(state.after)) is not None:
        found = list(calls.filter(_beyond("gt", place)).order_by("at", "id")[: PAGE_SIZE + 1])
        shown = found[:PAGE_SIZE][::-1]
        return _page(shown, has_older=True, has_newer=len(found) > PAGE_SIZE)
    place, found = _read_place(state.before), []
    failures = _older(CallRecord.objects.exclude(outcome=Outcome.OK), place).values("at")
    for failure in failures[NEWEST_FAILURES : NEWEST_FAILURES + 1] if state.q else ():
        newest = filter_calls(state, user, _READ_ERROR).filter(at__gte=failure["at"])
        found = list(_older(newest.defer("arguments"), place)[: PAGE_SIZE + 1])
    if len(found) <= PAGE_SIZE:
        found = list(_older(calls, place)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    return _page(shown, has_older=len(found) > PAGE_SIZE, has_newer=place is not None)


def filter_calls(
    state: CallLogState, user: User, error: Combinable = _ERROR
) -> "QuerySet[CallRecord]":
    """The calls that the filters let through and the user sees, wherever they are in the log."""
    exact = {
        "tool_name": state.tool,
        "caller": state.caller,
        "key_id": state.key,
        "client_name": state.client,
        "address": state.ip,
        "session": state.session,
        "request_id": state.request,
    }
    calls = visible_calls(user).filter(**{name: value for name, value in exact.items() if value})
    if state.outcome == ANY_FAILURE:
        calls = calls.filter(FAILED)
    elif state.outcome:
        calls = calls.filter(outcome=state.outcome)
    if state.q:
        # Only failures have an error, and indexes of their own.
        calls = calls.exclude(outcome=Outcome.OK).alias(text=error)
        found = Q(text__icontains=state.q)
        # A page shows the error in the reader's language; the values in it are the same in every one.
        if templates := templates_with(state.q):
            calls = calls.alias(templates=_TEMPLATES)
            found |= Q(templates__has_any_keys=templates)
        calls = calls.filter(found)
    if span := _read_span(state.start):
        calls = calls.filter(at__gte=span[0])
    if span := _read_span(state.end):
        calls = calls.filter(at__lt=span[1])
    return calls


def export_calls(state: CallLogState, user: User) -> Iterator[str]:
    """The filtered calls as CSV for spreadsheets, newest first, some at a time."""
    # The mark makes spreadsheets read Korean and Japanese as UTF-8.
    yield "\ufeff" + format_csv(COLUMNS, [])
    calls = filter_calls(state, user).order_by("-at", "-id")
    chunk = list(calls[:EXPORT_CHUNK])
    while chunk:
        yield format_csv((), list(_export_rows(chunk))).removeprefix("\r\n")
        is_last = len(chunk) < EXPORT_CHUNK
        place = (chunk[-1].at, chunk[-1].pk)
        chunk = [] if is_last else list(calls.filter(_beyond("lt", place))[:EXPORT_CHUNK])


def shown_arguments(call: CallRecord) -> Any:
    """The part of the call's arguments that may be shown; a policy that became stricter hides what is stored."""
    if isinstance(call.arguments, dict):
        return recorded_arguments(call.arguments, settings.CALL_LOG_ARGUMENTS)
    return None if settings.CALL_LOG_ARGUMENTS == "none" else call.arguments


def read_called_tools(user: User) -> list[str]:
    """Names of tools that were called, by name, those of the first 500 whose calls the user sees."""
    with reading_connection().cursor() as cursor:
        cursor.execute(_TOOLS, [TOOLS_OFFERED])
        names = [name for (name,) in cursor]
    hidden = hidden_tools(user)
    return [name for name in names if name and name not in hidden]


def _export_rows(calls: Iterable[CallRecord]) -> Iterator[list[Any]]:
    for call in calls:
        shown = {"at": call.at.isoformat(), "arguments": shown_arguments(call)}
        shown["runtime_id"] = str(call.runtime_id) if call.runtime_id else None
        yield [shown[name] if name in shown else getattr(call, name) for name in COLUMNS]


def _page(calls: list[CallRecord], *, has_older: bool, has_newer: bool) -> CallPage:
    if not calls:
        return CallPage([])
    return CallPage(
        calls,
        older=_place_of(calls[-1]) if has_older else "",
        newer=_place_of(calls[0]) if has_newer else "",
    )


def _place_of(call: CallRecord) -> str:
    return f"{call.at.isoformat()}_{call.pk}"


def _read_place(text: str) -> tuple[datetime, int] | None:
    at, _, number = text.partition("_")
    try:
        moment = datetime.fromisoformat(at)
        if timezone.is_naive(moment) or not (number.isascii() and number.isdigit()):
            return None
        return moment.astimezone(UTC), int(number[:18])
    except (ValueError, OverflowError):
        return None


def _older(
    calls: "QuerySet[CallRecord, Row]", place: tuple[datetime, int] | None
) -> "QuerySet[CallRecord, Row]":
    older = calls if place is None else calls.filter(_beyond("lt", place))
    return older.order_by("-at", "-id")


def _beyond(direction: str, place: tuple[datetime, int]) -> Q:
    at, number = place
    # The first condition is implied by the other, but it alone tells the index where to begin.
    return Q(**{f"at__{direction}e": at}) & (
        Q(**{f"at__{direction}": at}) | Q(**{"at": at, f"id__{direction}": number})
    )


def _read_span(text: str) -> tuple[datetime, datetime] | None:
    """When the day or the minute of this text begins and ends; None if it is neither."""
    try:
        day, moment = parse_date(text), parse_datetime(text)
    except ValueError:
        return None
    # The day after the last one of the calendar would be none.
    if day and 1970 <= day.year < 9999:
        return _midnight(day), _midnight(day + timedelta(days=1))
    if moment is None or not 1970 <= moment.year < 9999:
        return None
    start = timezone.make_aware(moment) if timezone.is_naive(moment) else moment
    return start, start + timedelta(minutes=1)


def _field_text(text: str, clock: str) -> str:
    return text if "T" in text or not text else f"{text}{clock}"


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _encode(state: CallLogState) -> str:
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in asdict(state).items() if value})
    return query.urlencode()
