"""The audit trail as its page and its file show it: filters, places in it, and the entries."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime, time, timedelta

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date

from access.audit.models import AuditAction, AuditEntry
from access.list_addresses import read_filters
from core.formatting import format_csv
from core.json_text import encode_json

PAGE_SIZE = 50
EXPORT_PORTION = 1_000
_QUERY_CHARACTERS = 200
_COLUMNS = (
    "number", "at", "actor", "place", "address", "db_role", "kind", "action", "target_id",
    "target_name", "before", "after", "hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailState:
    """The filters in the address of the page; empty means any. `start` and `end` are days, both included.

    `before` and `after` are numbers of entries: older or newer ones are shown.
    """

    q: str = ""
    actor: str = ""
    kind: str = ""
    action: str = ""
    target: str = ""
    start: str = ""
    end: str = ""
    before: str = ""
    after: str = ""

    @classmethod
    def read(cls, given: QueryDict) -> "TrailState":
        """From an address; what makes no sense in it is left out."""
        texts = read_filters(given, [field.name for field in fields(cls)], _QUERY_CHARACTERS)
        makes_sense = {
            "action": texts["action"] in AuditAction.values,
            "start": _read_day(texts["start"]) is not None,
            "end": _read_day(texts["end"]) is not None,
            "before": _is_number(texts["before"]),
            "after": _is_number(texts["after"]),
        }
        return cls(**{name: text for name, text in texts.items() if makes_sense.get(name, True)})

    @property
    def is_filtered(self) -> bool:
        """Whether entries may be missing from the list because of it."""
        return any(asdict(replace(self, before="", after="")).values())

    @property
    def query(self) -> str:
        """The filters as in an address, without a place."""
        query = QueryDict(mutable=True)
        values = asdict(replace(self, before="", after=""))
        query.update({name: value for name, value in values.items() if value})
        return query.urlencode()

    def address(self, **place: str) -> str:
        """Of the page with these filters, from the newest entry unless `before` or `after` says where."""
        query = "&".join(
            [*filter(None, [self.query]), *(f"{k}={v}" for k, v in place.items() if v)]
        )
        return f"{reverse('audit')}{'?' if query else ''}{query}"


@dataclass(frozen=True, slots=True)
class TrailPage:
    """One page of the trail, newest first; `older` and `newer` are addresses, '' for none."""

    entries: list[AuditEntry]
    older: str = ""
    newer: str = ""


def read_trail(state: TrailState) -> TrailPage:
    """The page that the state asks for, found by its place: page 1,000 costs what page 1 does."""
    entries = filter_trail(state)
    if state.after:
        found = list(entries.filter(number__gt=state.after).order_by("number")[: PAGE_SIZE + 1])
        shown = found[:PAGE_SIZE][::-1]
        has_older, has_newer = True, len(found) > PAGE_SIZE
    else:
        if state.before:
            entries = entries.filter(number__lt=state.before)
        found = list(entries[: PAGE_SIZE + 1])
        shown = found[:PAGE_SIZE]
        has_older, has_newer = len(found) > PAGE_SIZE, bool(state.before)
    if not shown:
        return TrailPage([])
    return TrailPage(
        shown,
        older=state.address(before=str(shown[-1].number)) if has_older else "",
        newer=state.address(after=str(shown[0].number)) if has_newer else "",
    )


def filter_trail(state: TrailState) -> "QuerySet[AuditEntry]":
    """The entries that the filters let through, newest first."""
    exact = {
        "actor": state.actor,
        "kind": state.kind,
        "action": state.action,
        "target_id": state.target,
    }
    entries = AuditEntry.objects.filter(**{name: text for name, text in exact.items() if text})
    if state.q:
        columns = {f"{name}_text": Cast(name, TextField()) for name in ("before", "after")}
        named = Q(target_name__icontains=state.q) | Q(target_id=state.q)
        inside = Q(before_text__icontains=state.q) | Q(after_text__icontains=state.q)
        entries = entries.alias(**columns).filter(named | inside | Q(actor__icontains=state.q))
    if day := _read_day(state.start):
        entries = entries.filter(at__gte=_midnight(day))
    if day := _read_day(state.end):
        entries = entries.filter(at__lt=_midnight(day + timedelta(days=1)))
    return entries.order_by("-number")


def export_trail(state: TrailState) -> Iterator[str]:
    """The filtered entries as CSV for spreadsheets, oldest first, in portions of a thousand."""
    entries = filter_trail(state).order_by("number")
    # The mark makes spreadsheets read Korean and Japanese as UTF-8.
    yield "\ufeff" + format_csv(_COLUMNS, [])
    last = 0
    while portion := list(entries.filter(number__gt=last)[:EXPORT_PORTION]):
        rows = []
        for entry in portion:
            written = {"at": entry.at.isoformat(), "hash": bytes(entry.hash).hex()}
            sides = {"before": entry.before, "after": entry.after}
            written |= {
                name: "" if value is None else encode_json(value).decode()
                for name, value in sides.items()
            }
            rows.append([written.get(name, getattr(entry, name)) for name in _COLUMNS])
        yield format_csv(_COLUMNS, rows).partition("\r\n")[2]
        last = portion[-1].number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _read_day(text: str) -> date | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    # The day after the last one of the calendar would be none.
    return day if day and 1970 <= day.year < 9999 else None


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
