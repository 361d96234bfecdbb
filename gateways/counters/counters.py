"""What may count for several processes at once, as its callers see it: no client of a server is loaded."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class CountersAwayError(Exception):
    """Nothing can be counted now; the text is the client's kind of error."""


class Wish(NamedTuple):
    """Permits of one counter: never more than `most` are given, `permits` at once are welcome."""

    key: str
    most: int
    permits: int
    seconds: int


class SharedCounters(Protocol):
    """Counters with a most each; each verb but `is_there` and `close` raises CountersAwayError.

    They are good for one generation and one run of the server: after a restart, what was counted last
    may be lost even where a server keeps its data.
    """

    async def take(self, generation: int, wishes: Sequence[Wish]) -> list[int] | int:
        """The permits taken of each; or the number, from 1, of the first that has none left, -1 if lost."""
        ...

    async def give_back(self, generation: int, permits: Mapping[str, int]) -> None:
        """Put unused permits back, by key."""
        ...

    async def occupy(self, key: str, most: int, place: str, within_ms: int) -> bool:
        """Whether there was a place; it is free again after that time at the latest."""
        ...

    async def leave(self, key: str, place: str) -> None:
        """Free a place."""
        ...

    async def is_there(self) -> bool:
        """Whether the server answers."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...

    def are_of(self, generation: int) -> bool:
        """Whether there are counters of this generation, and of the server's present run. For a thread."""
        ...

    def begin(self, generation: int, used: Mapping[str, tuple[int, int]]) -> None:
        """Count on from these: by key what is used, and the seconds until the window ends. For a thread."""
        ...

    def count_occupied(self, keys: Sequence[str]) -> list[int]:
        """How many places of each key are taken. For a thread."""
        ...
