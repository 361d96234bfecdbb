"""What a caller is told when a query took longer than it may; the same words for every source."""

from core.errors import DeadlineExceededError


def deadline_error(timeout_ms: int) -> DeadlineExceededError:
    """The error for a query that was stopped after `timeout_ms`."""
    return DeadlineExceededError(
        f"the query took longer than {timeout_ms / 1_000:g} s and was stopped;"
        " ask for less, or let the tool read less"
    )
