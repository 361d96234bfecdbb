"""Dates in a question: half-open periods from Korean, Japanese, English and ISO dates."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NAMES = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_FIRST = r"(?P<word>since|from|after|before|until|till|through|to|between|and|during|in)?\s*"
_LAST = r"\s*(?P<particle>이후|이전|부터|까지|동안|以降|以後|以前|から|まで|より前|より後|中|度)?(?:에|の)?"
_DATE = re.compile(
    rf"(?<![\w-]){_FIRST}(?:"
    + _YEAR.format("iso_year")
    + r"-(?P<iso_month>\d\d)(?:-(?P<iso_day>\d\d))?"
    + rf"|(?P<name>{_MONTH_NAMES})\.?\s+(?:(?P<name_day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?"
    + _YEAR.format("name_year")
    + "|"
    + _YEAR.format("year")
    + r"(?:\s*[년年]\s*(?:(?P<month>\d{1,2})\s*[월月]\s*(?:(?P<day>\d{1,2})\s*[일日])?)?|(?![\d-]))"
    + rf"){_LAST}",
    re.IGNORECASE,
)
_FROM_START = {"since", "from", "between", "이후", "부터", "以降", "以後", "から"}
_UP_TO_END = {"until", "till", "through", "to", "and", "까지", "まで"}
_BEFORE = {"before", "이전", "以前", "より前"}
_AFTER = {"after", "より後"}


@dataclass(frozen=True)
class Period:
    """From `start` to before `end`, where given; `phrase` as the question has it."""

    phrase: str = ""
    start: date | None = None
    end: date | None = None


def take_period(text: str) -> tuple[Period, str]:
    """The period that the text names, and the text without it. Two dates make one period."""
    period = Period()
    for match in _DATE.finditer(text):
        bounds = _bounds(match)
        if bounds is not None:
            start, end = bounds
            named = re.sub(r"\s*(?:에|の)?\s*$", "", match[0]).strip()
            phrase = " ".join(filter(None, (period.phrase, named)))
            period = Period(phrase, start or period.start, end or period.end)
            text = text.replace(match[0], " ", 1)
    return period, text


def _bounds(match: re.Match[str]) -> tuple[date | None, date | None] | None:
    try:
        first, following = _unit(match)
    except ValueError:
        return None
    qualifiers = {(match["word"] or "").lower(), match["particle"] or ""}
    if qualifiers & _FROM_START:
        return first, None
    if qualifiers & _AFTER:
        return following, None
    if qualifiers & _UP_TO_END:
        return None, following
    if qualifiers & _BEFORE:
        return None, first
    return first, following


def _unit(match: re.Match[str]) -> tuple[date, date]:
    """First day of the named year, month or day, and the first day after it."""
    found = match.groupdict()
    year = int(found["iso_year"] or found["name_year"] or found["year"])
    month, day = found["iso_month"] or found["month"], found["iso_day"] or found["day"]
    if found["name"]:
        month = str([name[:3] for name in _MONTHS].index(found["name"][:3].lower()) + 1)
        day = found["name_day"]
    if not month:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if not day:
        return date(year, int(month), 1), date(year + int(month) // 12, int(month) % 12 + 1, 1)
    first = date(year, int(month), int(day))
    return first, first + timedelta(days=1)
