"""Ends long commands cleanly: a signal lets them come to a good point first."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

IsStopped = Callable[[], bool]


@contextmanager
def stop_on_signal() -> Iterator[IsStopped]:
    """Let SIGINT and SIGTERM be asked for; the second one ends the process at once."""
    is_stopped = False
    if threading.current_thread() is not threading.main_thread():
        # Python sets handlers in the main thread alone; a job of a worker ends with its worker.
        yield lambda: False
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        nonlocal is_stopped
        is_stopped = True
        signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: is_stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
