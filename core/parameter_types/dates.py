"""Dates and moments, which JSON writes as ISO 8601 text."""

from datetime import UTC, date, datetime
from typing import Any

from pydantic_core import CoreSchema, core_schema

from core.messages import message
from core.parameter_types.kind import Kind, written
from core.toolspec import JsonValue, ParameterSpec

_DATE = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
_DATETIME = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:"


class DateKind(Kind):
    """DATE: date."""

    label = message("type.date", "date")
    expected = message("arguments.date", "must be a date like 2026-01-31")
    example = placeholder = "2026-01-31"
    database_type = "date"
    kept_types = frozenset({"date", "time", "timestamp", "timestamptz", "timetz"})
    proposed_for = frozenset({"date"})
    json_format = "date"
    icon = "calendar"
    takes_bounds = True
    is_plain_json = False

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        bounded = core_schema.date_schema(**self.bounds(spec))
        return core_schema.chain_schema([written(_DATE), bounded])

    def read_bound(self, bound: float | str) -> date:
        return date.fromisoformat(str(bound))

    def to_json(self, value: Any) -> JsonValue:
        return value.isoformat()


class DatetimeKind(DateKind):
    """DATETIME: an aware datetime; one without offset is taken as UTC."""

    label = message("type.datetime", "datetime")
    expected = message("arguments.datetime", "must be a date and time like 2026-01-31T09:30:00Z")
    example = placeholder = "2026-01-31T09:00:00Z"
    database_type = "timestamptz"
    proposed_for = frozenset({"timestamp", "timestamptz"})
    json_format = "date-time"
    icon = "clock"

    def schema(self, spec: ParameterSpec) -> CoreSchema:
        aware = core_schema.no_info_after_validator_function(_aware, core_schema.datetime_schema())
        bounded = core_schema.datetime_schema(**self.bounds(spec))
        return core_schema.chain_schema([written(_DATETIME), aware, bounded])

    def read_bound(self, bound: float | str) -> datetime:
        return _aware(datetime.fromisoformat(str(bound)))


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
