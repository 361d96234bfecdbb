"""The one form of dates, durations, shares and large numbers; every template knows these without `{% load %}`.

Whole numbers need none of it: Django groups the digits of whatever a template shows.
"""

from datetime import datetime

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language

register = template.Library()

# The largest unit that fits is taken; Korean and Japanese count in ten thousands.
_UNITS = {
    "ko": ((10**8, "억"), (10**4, "만")),
    "ja": ((10**8, "億"), (10**4, "万")),
}
_OTHER_UNITS = ((10**9, "B"), (10**6, "M"), (10**3, "K"))
_WRITTEN_OUT_BELOW = 10_000
_PRECISIONS = {
    "day": "%Y-%m-%d",
    "minutes": "%Y-%m-%d %H:%M",
    "seconds": "%Y-%m-%d %H:%M:%S",
    # Where only today is meant.
    "clock": "%H:%M:%S",
}


@register.filter
def moment_text(value: datetime, precision: str = "minutes") -> str:
    """As in 2026-11-22 15:05, in the time zone of the page; `precision` is a key of _PRECISIONS."""
    return localtime(value).strftime(_PRECISIONS[precision])


@register.simple_tag
def moment(value: datetime, precision: str = "minutes") -> SafeString:
    """The same as a <time>, whose title has the seconds and the zone."""
    local = localtime(value)
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} {}">{}</time>',
        local.isoformat(),
        moment_text(value, "seconds"),
        local.tzname(),
        moment_text(value, precision),
    )


@register.filter
def milliseconds(value: float | None) -> str:
    """As people read it: 0.41 ms, 12 ms, 3.2 s, 30 s; a dash for none."""
    if value is None:
        return "–"
    if value >= 1_000:
        return f"{_rounded(value / 1_000, 1 if value % 1_000 else 0)} s"
    return f"{_rounded(value, 2 if value < 1 else 1 if value < 10 else 0)} ms"


@register.filter
def time_spent(ms: float) -> str:
    """A sum of durations, in the unit in which it is at most a few hundred: s, min or h."""
    seconds = ms / 1_000
    for size, unit in ((3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{_rounded(seconds / size, 1 if seconds < 10 * size else 0)} {unit}"
    return milliseconds(ms)


@register.filter
def byte_size(value: int) -> str:
    """By thousands, as limits are set: 512 B, 1.5 KB, 1 MB, 50 MB."""
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "KB")):
        if value >= size:
            share = round(value / size, 1 if value < 10 * size else 0)
            return f"{number_format(share, 0 if share.is_integer() else 1)} {unit}"
    return f"{value} B"


@register.filter
def percent(value: float) -> str:
    """With one digit behind the point below ten."""
    return f"{_rounded(value, 1 if 0 < value < 10 else 0)} %"


@register.filter
def signed(value: float, digits: int = 0) -> str:
    """With its sign, also of what is more: +4, −0.25."""
    return f"{'+' if value > 0 else '−'}{_rounded(abs(value), digits)}"


@register.filter
def short_number(value: int) -> str:
    """About how many: 9,876 stays, 1234567 is 1.2M, or 123만 in Korean."""
    if abs(value) < _WRITTEN_OUT_BELOW:
        return number_format(value, force_grouping=True)
    units = _UNITS.get(get_language() or "", _OTHER_UNITS)
    size, sign = next(unit for unit in units if abs(value) >= unit[0])
    share = round(value / size, 1 if abs(value) < 10 * size else 0)
    return f"{number_format(share, 0 if share.is_integer() else 1)}{sign}"


@register.simple_tag
def compact(value: int) -> SafeString:
    """About how many, with the exact number as title."""
    exact = number_format(value, force_grouping=True)
    return format_html('<span title="{}">{}</span>', exact, short_number(value))


def _rounded(value: float, digits: int) -> str:
    # Django's own leaves the other digits out: two thirds would be 66 %.
    return number_format(round(value, digits), digits)
