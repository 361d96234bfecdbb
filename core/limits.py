"""Limits: how often tools may be called, by whom, and how much of a day they may use."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum

from core.errors import LimitError
from core.messages import Message, Value, message


class LimitTarget(StrEnum):
    """Whose calls count together."""

    USER = "USER"
    KEY = "KEY"
    TOOL = "TOOL"
    ALL = "ALL"


class Measure(StrEnum):
    """What a limit counts; the values name the columns of the limit's row."""

    CALLS_A_DAY = "max_count"
    CALLS_A_MINUTE = "per_minute"
    CALLS_AT_ONCE = "at_once"
    ROWS_A_DAY = "max_rows"
    BYTES_A_DAY = "max_bytes"
    SECONDS_A_DAY = "max_db_seconds"


MOST_KEPT = 10_000
# Seconds of data sources are counted in thousandths.
MILLI = 1_000
# Known only after the call, which may run if anything is left.
BUDGETS = frozenset({Measure.ROWS_A_DAY, Measure.BYTES_A_DAY, Measure.SECONDS_A_DAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One row. `target_id` is a user's sign-in name or a key's id, '' each one by itself.

    `tool_name` '' is every tool together, or each tool by itself if the target is TOOL. `most` has
    what is limited.
    """

    id: int
    target: LimitTarget
    target_id: str = ""
    tool_name: str = ""
    most: tuple[tuple[Measure, int], ...] = ()

    def subject_of(self, owner: str, key_id: str, tool_name: str) -> str | None:
        """With whom this caller's call of the tool is counted; None if the limit does not concern it."""
        if self.tool_name and self.tool_name != tool_name:
            return None
        match self.target:
            case LimitTarget.USER:
                subject: str | None = owner
            case LimitTarget.KEY:
                subject = key_id
            case LimitTarget.TOOL:
                # One that names its tool goes on counting when the tool is renamed.
                return "" if self.tool_name else tool_name
            case _:
                return ""
        return subject if subject and self.target_id in ("", subject) else None


# A limit that concerns a call, and with whom the call is counted.
FoundLimit = tuple[Limit, str]


@dataclass(frozen=True, slots=True)
class Window:
    """What is counted together: `key` names it in every counter, in UTC it ends at `ends_at`.

    `ends_at` None: nothing ends, calls that run are counted.
    """

    key: str
    most: int
    measure: Measure
    limit: Limit
    subject: str
    ends_at: datetime | None = None

    def refuse(self, now: datetime, zone: tzinfo) -> LimitError:
        """The error of a call for which nothing is left at `now`; it names times in the `zone`."""
        rule = self._describe()
        if not self.most:
            # To wait for the next day or call would be in vain.
            return LimitError(
                message(
                    "limit.nothing", "{rule}: none is allowed; ask your administrator", rule=rule
                )
            )
        if self.ends_at is None:
            return LimitError(
                message("limit.at_once_over", "{rule}; call again when one has ended", rule=rule)
            )
        wait_s = max(1, int((self.ends_at - now).total_seconds()) + 1)
        over = message(
            "limit.over",
            "{rule}; all of it is used, and it starts again at {moment} ({zone}), in {seconds} s",
            rule=rule,
            moment=f"{self.ends_at.astimezone(zone):%Y-%m-%d %H:%M:%S}",
            zone=str(zone),
            seconds=f"{wait_s:,}",
        )
        return LimitError(over, retry_after_s=wait_s)

    def _describe(self) -> Message:
        tool = self.limit.tool_name
        most = self.most // MILLI if self.measure is Measure.SECONDS_A_DAY else self.most
        what = message("limit.every_tool", "all tools")
        if tool or self.limit.target is LimitTarget.TOOL:
            what = message("limit.one_tool", "the tool {tool}", tool=tool or self.subject)
        match self.limit.target:
            case LimitTarget.USER:
                whose = message("limit.user", "the user {name}", name=repr(self.subject))
            case LimitTarget.KEY:
                whose = message("limit.key", "the key {key_id}", key_id=self.subject)
            case _:
                whose = message("limit.everybody", "all callers together")
        parts: dict[str, Value] = {"whose": whose, "most": f"{most:,}", "what": what}
        match self.measure:
            case Measure.CALLS_A_DAY:
                return message(
                    "limit.day", "the limit of {whose} is {most} calls of {what} a day", **parts
                )
            case Measure.CALLS_A_MINUTE:
                return message(
                    "limit.minute",
                    "the limit of {whose} is {most} calls of {what} a minute",
                    **parts,
                )
            case Measure.CALLS_AT_ONCE:
                return message(
                    "limit.once", "the limit of {whose} is {most} calls of {what} at once", **parts
                )
            case Measure.ROWS_A_DAY:
                return message(
                    "limit.rows", "the limit of {whose} is {most} rows of {what} a day", **parts
                )
            case Measure.BYTES_A_DAY:
                return message(
                    "limit.bytes", "the limit of {whose} is {most} bytes of {what} a day", **parts
                )
        return message(
            "limit.seconds",
            "the limit of {whose} is {most} seconds in the data sources of {what} a day",
            **parts,
        )


class LimitBook:
    """The limits of one moment, ready to be asked call by call; it never changes."""

    def __init__(self, limits: Iterable[Limit] = (), zone: tzinfo = UTC) -> None:
        """Days are those of the `zone`."""
        self.limits: Sequence[Limit] = tuple(limits)
        self.zone = zone
        self._found: dict[tuple[str, str, str], tuple[FoundLimit, ...]] = {}
        self._today: tuple[datetime, datetime, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.limits)

    def concerning(self, owner: str, key_id: str, tool_name: str) -> tuple[FoundLimit, ...]:
        """The limits of such a call, each with whom it is counted with."""
        if not self.limits:
            return ()
        caller = (owner, key_id, tool_name)
        found = self._found.get(caller)
        if found is None:
            subjects = ((limit, limit.subject_of(*caller)) for limit in self.limits)
            found = tuple((limit, name) for limit, name in subjects if name is not None)
            if len(self._found) >= MOST_KEPT:
                self._found.clear()
            self._found[caller] = found
        return found

    def windows(self, found: Iterable[FoundLimit], now: datetime) -> list[Window]:
        """What a call is counted in at `now`, an aware time."""
        windows: list[Window] = []
        for limit, subject in found:
            for measure, most in limit.most:
                part, ends_at = "", None
                if measure is Measure.CALLS_A_MINUTE:
                    start = now.replace(second=0, microsecond=0)
                    part, ends_at = f"{start.timestamp():.0f}", start + timedelta(minutes=1)
                elif measure is not Measure.CALLS_AT_ONCE:
                    part, ends_at = self.day_of(now)
                key = f"{limit.id}:{measure}:{part}:{subject}"
                unit = MILLI if measure is Measure.SECONDS_A_DAY else 1
                windows.append(Window(key, most * unit, measure, limit, subject, ends_at))
        return windows

    def day_of(self, now: datetime) -> tuple[str, datetime]:
        """The day in the zone, which may have 23 or 25 hours, and the moment of its end."""
        if self._today is None or not self._today[0] <= now < self._today[1]:
            day = now.astimezone(self.zone).date()
            start = datetime.combine(day, time.min, self.zone)
            end = datetime.combine(day + timedelta(days=1), time.min, self.zone)
            self._today = (start.astimezone(UTC), end.astimezone(UTC), day.isoformat())
        return self._today[2], self._today[1]
