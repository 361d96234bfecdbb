"""The error of a caller whose time is over, in the same words for every source."""

from core.errors import DeadlineExceededError
from core.messages import Message, message

_NOTICED_WAIT_S = 0.1
_READ_LESS = message("advice.read_less", "ask for less, or let the tool read less")


def deadline_error(timeout_ms: int, waited_s: float = 0.0) -> DeadlineExceededError:
    """The error for a query that was stopped after `timeout_ms`, of which it waited `waited_s`."""
    return DeadlineExceededError(
        message(
            "source.deadline",
            "the query took longer than {seconds} s and was stopped; {advice}",
            seconds=f"{timeout_ms / 1_000:g}",
            advice=advise(_READ_LESS, waited_s),
        )
    )


def advise(usual: Message, waited_s: float) -> Message:
    """What would help: the usual, or to come back where the wait for a turn took much of the time."""
    if waited_s < _NOTICED_WAIT_S:
        return usual
    return message(
        "advice.waited",
        "it waited {seconds} s of that for its turn: retry later",
        seconds=f"{waited_s:.1f}",
    )
