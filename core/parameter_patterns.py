"""Whether a parameter's pattern means the same to every engine, and does not take for ever to compile."""

import re

from core.errors import DefinitionError
from core.messages import message

MAX_PATTERN_REPEATS = 1_000

# Legal in the Rust engine, not in JavaScript, where clients compile the same pattern.
_NOT_PORTABLE = re.compile(r"\(\?(?![:<])|\\[Az]|\[\[:")
_REPEAT = re.compile(r"(\))?\{(\d+)(?:,(\d*))?\}")


def check_portable(pattern: str) -> None:
    """Nothing when it can be served. Raises DefinitionError."""
    if _NOT_PORTABLE.search(pattern):
        raise DefinitionError(
            message(
                "parameter.pattern_javascript",
                "the pattern must be one that JavaScript knows too: no look-around, no inline"
                " flags, no \\A, no \\z, no [[:class:]]",
            )
        )
    if _repeats(pattern) > MAX_PATTERN_REPEATS:
        raise DefinitionError(
            message(
                "parameter.pattern_repeats",
                "the pattern repeats too much; its counted repeats must stay under {limit}",
                limit=MAX_PATTERN_REPEATS,
            )
        )


def _repeats(pattern: str) -> int:
    """An upper bound of how often the counted repeats of a pattern copy its parts."""
    of_groups, of_characters = 1, 0
    for group, least, most in _REPEAT.findall(pattern):
        count = int(most or least)
        if group:
            of_groups *= max(count, 1)
        else:
            of_characters += count
    return of_groups * max(of_characters, 1)
