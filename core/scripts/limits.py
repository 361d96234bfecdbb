"""What one run of a script may use, and the moment at which it began."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import ClassVar

from core.expressions.limits import Budget
from core.messages import Message
from core.toolspec import SCRIPT

SCRIPT_BYTE_LIMIT = 16_384
SCRIPT_NODE_LIMIT = 5_000


class ScriptBudget(Budget):
    """Room for real work, within what a process of half a gigabyte holds.

    All that a script makes is counted, whether it is kept or not: the shifts are such that a step pays
    for about 64 bytes, so a script ends before it has made more than some hundred megabytes.
    """

    __slots__ = ("moment",)

    logic: ClassVar[Message] = SCRIPT
    step_limit: ClassVar[int] = 5_000_000
    length_limit: ClassVar[int] = 1_000_000
    shifts: ClassVar[Mapping[type, int]] = {str: 5, list: 3, tuple: 3, set: 1, dict: 1}

    def __init__(self) -> None:
        super().__init__()
        self.moment = datetime.now(UTC)
