"""How large answers of the catalogue may become, so that they leave an agent room to think."""

from collections.abc import Iterable
from itertools import accumulate

from core.json_text import encode_json
from core.tokens import weigh_tokens
from core.toolspec import JsonValue

# DataHub's limits for the same two answers.
ANSWER_TOKENS = 80_000
COLUMNS_TOKENS = 16_000
RELATIONS_TOKENS = 16_000
SAMPLE_TOKENS = 16_000
# Kept free for the rest of the answer: totals, notices, names that were not found.
RESERVED_TOKENS = 8_000
SHORT_CHARACTERS = 120
SHORTER_CHARACTERS = 60
# Beyond it a description is a document, and four of them would fill the answer.
LONG_CHARACTERS = 8_000
NAME_CHARACTERS = 120
# Names that an answer lists beside its tables.
LISTED_NAMES = 50
# Tables whose details one call may ask for.
DETAILED_TABLES = 50


# Above what any separator between two items weighs.
_SEPARATOR = 0.5


def weigh_json(value: JsonValue) -> float:
    """Estimated tokens of the value as compact JSON."""
    return weigh_tokens(encode_json(value))


def count_fitting(items: Iterable[JsonValue], budget: float) -> int:
    """How many of the first items stay within the budget as one JSON list."""
    count = 0
    for total in accumulate(weigh_json(item) + _SEPARATOR for item in items):
        if total > budget:
            break
        count += 1
    return count
