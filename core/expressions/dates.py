"""The functions of expressions over dates and datetimes."""

import re
from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import Any

from core.errors import EvaluationError
from core.expressions.limits import Budget
from core.messages import Message, message

# No digits between % and its letter: strftime would honour a width such as %999999d.
_PATTERN = re.compile(r"(?:%[aAbBdHIjmMpSUwWyYf%]|[^%])*")
_MAX_PATTERN = 100


def date_(budget: Budget, year: Any, month: Any, day: Any) -> date:
    """The date of a year, a month and a day."""
    return date(year, month, day)


def to_date(budget: Budget, value: Any) -> date:
    """The date of an ISO 8601 text (2024-12-31, with or without a time) or of a datetime."""
    moment = _read(value, message("expression.date_form", "a date; write it as YYYY-MM-DD"))
    return moment.date() if type(moment) is datetime else moment


def to_datetime(budget: Budget, value: Any) -> datetime:
    """The datetime of an ISO 8601 text (2024-12-31T09:30:00+09:00) or of a date, at midnight."""
    moment = _read(
        value, message("expression.datetime_form", "a datetime; write it as YYYY-MM-DDTHH:MM:SS")
    )
    if type(moment) is datetime:
        return moment
    return datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 - a date has no time zone


def _read(value: Any, form: Message) -> date:
    if type(value) is not str:
        return _moment(value)
    try:
        return datetime.fromisoformat(value.strip())
    except ValueError:
        raise EvaluationError(
            message("expression.no_date", "{text} is not {form}", text=repr(value[:40]), form=form)
        ) from None


def _moment(value: Any) -> date:
    if type(value) is datetime or type(value) is date:
        return value
    raise TypeError


def days_between(budget: Budget, start: Any, end: Any) -> int:
    """Calendar days from start to end; negative if the end comes first."""
    return (to_date(budget, end) - to_date(budget, start)).days


def months_between(budget: Budget, start: Any, end: Any) -> int:
    """Whole months from start to end, as in an age; negative if the end comes first."""
    first, last = to_date(budget, start), to_date(budget, end)
    months = (last.year - first.year) * 12 + last.month - first.month
    reached = _shift(first, months)
    if months > 0 and reached > last:
        return months - 1
    return months + 1 if months < 0 and reached < last else months


def hours_between(budget: Budget, start: Any, end: Any) -> float:
    """Hours from start to end with their fraction; negative if the end comes first."""
    first, last = to_datetime(budget, start), to_datetime(budget, end)
    if (first.tzinfo is None) != (last.tzinfo is None):
        raise EvaluationError(
            message(
                "expression.hours_need_zones",
                "hours_between() needs a time zone in both datetimes or in none",
            )
        )
    return (last - first).total_seconds() / 3_600


def add_days(budget: Budget, day: Any, days: Any) -> date:
    """The date or datetime so many days later; earlier if negative."""
    return _moment(day) + timedelta(days=days)


def add_months(budget: Budget, day: Any, months: Any) -> date:
    """The date or datetime so many months later, at most the last day of its month."""
    return _shift(_moment(day), months)


def _shift(day: date, months: Any) -> date:
    if type(months) is not int:
        raise TypeError
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9_999:
        raise EvaluationError(
            message("expression.year_range", "the year of a date is from 1 to 9999")
        )
    last = monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


def add_hours(budget: Budget, moment: Any, hours: Any) -> datetime:
    """The datetime so many hours later; earlier if negative."""
    return to_datetime(budget, moment) + timedelta(hours=hours)


def start_of_month(budget: Budget, day: Any) -> date:
    """The first date of the month."""
    return to_date(budget, day).replace(day=1)


def end_of_month(budget: Budget, day: Any) -> date:
    """The last date of the month."""
    first = to_date(budget, day)
    return first.replace(day=monthrange(first.year, first.month)[1])


def start_of_week(budget: Budget, day: Any) -> date:
    """The date of the Monday on or before the day."""
    monday = to_date(budget, day)
    return monday - timedelta(days=monday.weekday())


def year(budget: Budget, day: Any) -> int:
    """The year of a date or datetime."""
    return _moment(day).year


def quarter(budget: Budget, day: Any) -> int:
    """The quarter of a date or datetime, 1 to 4."""
    return (_moment(day).month + 2) // 3


def month(budget: Budget, day: Any) -> int:
    """The month of a date or datetime, 1 to 12."""
    return _moment(day).month


def iso_week(budget: Budget, day: Any) -> int:
    """The ISO 8601 week of a date or datetime, 1 to 53."""
    return _moment(day).isocalendar().week


def day(budget: Budget, day: Any) -> int:
    """The day of the month of a date or datetime, 1 to 31."""
    return _moment(day).day


def weekday(budget: Budget, day: Any) -> int:
    """The day of the week of a date or datetime, 0 = Monday to 6 = Sunday."""
    return _moment(day).weekday()


def hour(budget: Budget, moment: Any) -> int:
    """The hour of a datetime, 0 to 23."""
    return to_datetime(budget, _moment(moment)).hour


def minute(budget: Budget, moment: Any) -> int:
    """The minute of a datetime, 0 to 59."""
    return to_datetime(budget, _moment(moment)).minute


def format_date(budget: Budget, day: Any, pattern: Any) -> str:
    """The date as a text, such as format_date(day, '%Y-%m-%d'); %a %A %b %B are English."""  # noqa: D402 - an example of a call
    if len(pattern) > _MAX_PATTERN or not _PATTERN.fullmatch(pattern):
        raise EvaluationError(
            message(
                "expression.date_pattern", "format_date() takes a pattern such as '%d.%m.%Y %H:%M'"
            )
        )
    return _moment(day).strftime(pattern)
