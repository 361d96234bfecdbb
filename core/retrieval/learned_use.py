"""What agents called after they had searched, as a prior of each tool for each concept of a question."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# A key has said all that it can after so many days: one that repeats itself counts no more.
KEY_DAYS = 3
# As many votes for nothing at all: one key alone gives a third of the highest prior.
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
    """For each concept the prior of each tool that was called.

    A key's vote for a tool and a concept is whole after 3 days. The prior is the share that the concept
    has in the votes for the tool, with two more votes for none: additive smoothing. So a tool that is
    called for everything gains little, others lose nothing by it, and one key gives a third at most.
    """
    votes: dict[str, dict[str, float]] = {}
    called: dict[str, dict[str, float]] = {}
    for use in uses:
        vote = min(1.0, use.days / KEY_DAYS)
        counts = votes.setdefault(use.concept, {})
        counts[use.tool_name] = counts.get(use.tool_name, 0.0) + vote
        keys = called.setdefault(use.tool_name, {})
        keys[use.key_id] = max(vote, keys.get(use.key_id, 0.0))
    totals = {tool: sum(keys.values()) + DOUBT for tool, keys in called.items()}
    return {
        concept: {tool: vote / totals[tool] for tool, vote in counts.items()}
        for concept, counts in votes.items()
    }
