"""Why a question finds its tool at another place than before: what passed it, and by which part of the score."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

Parts = Mapping[str, Mapping[str, float]]
# The score has changed by so much, or it is hardly that.
_LEAST_CHANGE = 0.005


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """Where a question found the best of its tools: `rank` 1 with nothing `ahead`, None if it did not.

    `tool` is that tool, or the first expected one; `ahead` are the tools before it, best first.
    `parts` are what each source adds to the score of some tools.
    """

    tool: str
    rank: int | None
    ahead: tuple[str, ...] = ()
    parts: Parts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Move:
    """What moved a question's tool from one rank to another.

    `cause` is the changed tool that did it, '' if several or other things did; `rival` the tool that
    passed or was passed, '' for none. `source` is the part of the score that changed most between the
    two, by `change`, positive for the question's tool; '' if that is not known. `how`: the scores
    `changed`; the rival is `new` there or `gone`, and then `change` is all of the difference by that part.
    """

    before: int | None
    after: int | None
    cause: str = ""
    rival: str = ""
    source: str = ""
    change: float = 0.0
    how: Literal["changed", "new", "gone"] = "changed"

    @property
    def is_fall(self) -> bool:
        """Whether the tool is further behind than before."""
        return self.after is None or (self.before is not None and self.after > self.before)


def explain_move(
    before: QuestionOutcome,
    after: QuestionOutcome,
    changed: Collection[str],
    served: Collection[str],
) -> Move | None:
    """Why the ranks differ, where these tools changed and those are served now; None if they do not."""
    if before.rank == after.rank:
        return None
    move = Move(before.rank, after.rank)
    earlier, later = (before, after) if move.is_fall else (after, before)
    passed = [name for name in later.ahead if name not in earlier.ahead and name != after.tool]
    # One that changed explains more than one that only came along.
    rival = next((name for name in passed if name in changed), next(iter(passed), ""))
    names = (after.tool, before.tool, rival)
    cause = next((name for name in names if name and name in changed), "")
    if rival and rival not in served:
        return Move(before.rank, after.rank, cause or rival, rival, how="gone")
    now = _gap(after.parts, after.tool, rival)
    if not now:
        return Move(before.rank, after.rank, cause, rival)
    then = _gap(before.parts, after.tool, rival)
    sources = dict.fromkeys((*now, *then))
    changes = {name: now.get(name, 0.0) - then.get(name, 0.0) for name in sources}
    sign = -1 if move.is_fall else 1
    source = max(changes, key=lambda name: sign * changes[name])
    if sign * changes[source] < _LEAST_CHANGE:
        return Move(before.rank, after.rank, cause, rival)
    how: Literal["changed", "new"] = "changed" if then else "new"
    return Move(before.rank, after.rank, cause, rival, source, changes[source], how)


def _gap(parts: Parts, tool: str, rival: str) -> dict[str, float]:
    """By how much a tool is before its rival, by source; empty if either is not known."""
    if tool not in parts or rival not in parts:
        return {}
    sources = dict.fromkeys((*parts[tool], *parts[rival]))
    return {name: parts[tool].get(name, 0.0) - parts[rival].get(name, 0.0) for name in sources}
