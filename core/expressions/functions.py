"""The functions that expressions may call; each draws on the budget of its evaluation.

The public functions of the modules below are the language, named as it names them, with an underscore
behind where Python has that name. Their signatures without the budget, and the first lines of their
docstrings, are what the editor and the documentation show. All are pure: the same arguments give the
same value.
"""

from inspect import getmembers, isfunction

from core.expressions import conversions, dates, lists, numbers, statistics
from core.expressions.table import Function, make_table

FUNCTIONS: dict[str, Function] = make_table(
    *(
        function
        for module in (numbers, statistics, lists, conversions, dates)
        for name, function in getmembers(module, isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    )
)
