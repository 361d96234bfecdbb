"""Error texts for syntax that expressions lack, and for names that do not exist."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from core.messages import Message, message

HINTS: dict[str, Message] = {
    "Lambda": message(
        "expression.no_lambda",
        "lambda is not allowed; write the value itself, or a list comprehension",
    ),
    "NamedExpr": message(
        "expression.no_walrus", ":= is not allowed; write the value where it is needed"
    ),
    "Attribute": message(
        "expression.no_attributes",
        "attributes are not allowed; only methods are called, such as name.upper()",
    ),
    "Starred": message(
        "expression.no_star", "* before an argument is not allowed; pass the list itself"
    ),
    "Await": message("expression.no_await", "await is not allowed"),
    "Yield": message("expression.no_yield", "yield is not allowed"),
    "YieldFrom": message("expression.no_yield", "yield is not allowed"),
    "MatMult": message("expression.no_matrix", "@ is not allowed; * multiplies"),
}
_OF_FUNCTIONS: dict[str, Message] = {
    "print": message("expression.hint_print", "nothing is printed, the result is the answer"),
    "map": message("expression.hint_map", "write a list comprehension: [x * 2 for x in values]"),
    "filter": message(
        "expression.hint_filter", "write a list comprehension: [x for x in values if x > 0]"
    ),
    "type": message("expression.hint_types", "the parameters have the types that are declared"),
    "isinstance": message(
        "expression.hint_types", "the parameters have the types that are declared"
    ),
    "Decimal": message("expression.hint_decimal", "write decimal('0.10')"),
    "datetime": message("expression.hint_datetime", "write to_datetime('2024-12-31T09:30:00')"),
    "timedelta": message(
        "expression.hint_timedelta", "write add_days(day, 7) or add_hours(moment, 1)"
    ),
}


def explain_attribute(name: str, functions: Collection[str]) -> Message:
    """An attribute that is not called, such as `day.year`."""
    function = "days_between" if name == "days" else name
    if function not in functions:
        return HINTS["Attribute"]
    return message(
        "expression.attribute_function",
        "attributes are not allowed; write {function}(...)",
        function=function,
    )


def explain_unknown_name(
    name: str, functions: Collection[str], parameters: Iterable[str]
) -> Message:
    """A name that is no parameter."""
    if name in functions:
        return message(
            "expression.function_as_name", "{name} is a function; write {name}(...)", name=name
        )
    known = sorted(parameters)
    if close := get_close_matches(name, known, n=1):
        return message(
            "logic.no_parameter_near",
            "there is no parameter {name}; did you mean {near}?",
            name=name,
            near=close[0],
        )
    if known:
        return message(
            "logic.no_parameter_known",
            "there is no parameter {name}; there is {known}",
            name=name,
            known=", ".join(known),
        )
    return message("logic.no_parameter", "there is no parameter {name}", name=name)


def explain_unknown_function(name: str, functions: Collection[str]) -> Message:
    """A function that does not exist."""
    if hint := _OF_FUNCTIONS.get(name):
        return message(
            "expression.no_function_hint",
            "there is no function {name}; {hint}",
            name=name,
            hint=hint,
        )
    if close := get_close_matches(name, functions, n=1, cutoff=0.7):
        return message(
            "expression.no_function_near",
            "there is no function {name}; did you mean {near}?",
            name=name,
            near=close[0],
        )
    return message("expression.no_function", "there is no function {name}", name=name)


def explain_unknown_method(name: str, methods: Collection[str]) -> Message:
    """A method that does not exist."""
    if close := get_close_matches(name, methods, n=1):
        return message(
            "expression.no_method_near",
            "there is no method {name}(); did you mean {near}()?",
            name=name,
            near=close[0],
        )
    return message("expression.no_such_method", "there is no method {name}()", name=name)
