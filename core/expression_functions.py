"""The functions that expressions may call; each draws on the budget of its evaluation.

Their signatures without the budget, and the first lines of their docstrings, are what the editor and
the documentation show. All are pure: the same arguments give the same value.
"""

from core.expression_conversions import CONVERSION_FUNCTIONS
from core.expression_dates import DATE_FUNCTIONS
from core.expression_lists import LIST_FUNCTIONS
from core.expression_numbers import NUMBER_FUNCTIONS
from core.expression_statistics import STATISTICS_FUNCTIONS
from core.expression_table import Function

FUNCTIONS: dict[str, Function] = (
    NUMBER_FUNCTIONS | STATISTICS_FUNCTIONS | LIST_FUNCTIONS | CONVERSION_FUNCTIONS | DATE_FUNCTIONS
)
