"""Processes that a killed test run does not leave behind."""

import os
import signal

from config.services.processes import LAUNCH


def dying_with_us(*command: str) -> list[str]:
    """The command as one that Linux ends with the thread that starts it; its first word is an absolute path."""
    numbers = (os.getpid(), int(signal.SIGKILL), -1, -1)
    return [*LAUNCH, *map(str, numbers), *command]
