"""Says when the work of a thread has to end."""

from time import monotonic, sleep


class Watch:
    """The deadline of one job, by `monotonic()`, and whether its caller has gone away."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._is_stopped = False

    def stop(self) -> None:
        """Nobody waits for the job any more; from any thread."""
        self._is_stopped = True

    def is_over(self) -> bool:
        """Whether the job has to end now."""
        return self._is_stopped or monotonic() >= self.deadline

    def pause(self, seconds: float) -> None:
        """Wait in the job's own thread, at most up to the deadline."""
        sleep(min(seconds, max(self.deadline - monotonic(), 0)))
