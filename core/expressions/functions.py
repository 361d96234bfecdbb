"""The functions that expressions may call; each draws on the budget of its evaluation.

Their signatures without the budget, and the first lines of their docstrings, are what the editor and
the documentation show. All are pure: the same arguments give the same value.
"""

from core.expressions.conversions import CONVERSION_FUNCTIONS
from core.expressions.dates import DATE_FUNCTIONS
from core.expressions.lists import LIST_FUNCTIONS
from core.expressions.numbers import NUMBER_FUNCTIONS
from core.expressions.statistics import STATISTICS_FUNCTIONS
from core.expressions.table import Function

FUNCTIONS: dict[str, Function] = (
    NUMBER_FUNCTIONS | STATISTICS_FUNCTIONS | LIST_FUNCTIONS | CONVERSION_FUNCTIONS | DATE_FUNCTIONS
)
