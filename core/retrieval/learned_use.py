"""What agents called after they had searched, as a prior of each tool for each concept of a question."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# A key has said all that it can after so many days: one that repeats itself counts no more.
KEY_DAYS = 3
# As many votes for no tool at all: one key alone gives a third of the highest prior.
DOUBT = 2.0

# By concept, then by the tool's name; 0 to 1.
Priors = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class LearnedUse:
    """On how many days a key called a tool that it had found by a question with a concept."""

    concept: str
    tool_name: str
    key_id: str
    days: int


def weigh_uses(uses: Iterable[LearnedUse]) -> Priors:
    """For each concept the prior of each tool that was called; those of a concept make less than 1.

    A key's vote for a tool is whole after 3 days. The prior is the tool's share of the votes, with two
    more votes for none: additive smoothing. So one key moves a tool by a third at most where nobody else
    calls any, and by less the more keys there are.
    """
    votes: dict[str, dict[str, float]] = {}
    for use in uses:
        counts = votes.setdefault(use.concept, {})
        counts[use.tool_name] = counts.get(use.tool_name, 0.0) + min(1.0, use.days / KEY_DAYS)
    return {
        concept: {tool: vote / (sum(counts.values()) + DOUBT) for tool, vote in counts.items()}
        for concept, counts in votes.items()
    }
