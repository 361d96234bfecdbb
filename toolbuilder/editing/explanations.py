"""What stands behind a fault: the rule in a sentence or two, an example that works, and where it is documented.

The key is the code of our message, or the SQLSTATE of a database.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.analysis import Analysis
from core.inference import find_texts_of_numbers
from core.messages import Message
from core.toolspec import ParameterType, ScriptLogic, ToolSpec
from toolbuilder.help.links import HelpTopic

_STATEMENTS = HelpTopic("reference/statements")
_OPTIONAL = HelpTopic("reference/statements", "optional-clauses")
_LISTS = HelpTopic("reference/statements", "lists")
_PARAMETERS = HelpTopic("reference/statements", "parameters")
_REFUSED = HelpTopic("reference/statements", "what-is-refused")
_SCRIPTS = HelpTopic("reference/scripts")
_EXPRESSIONS = HelpTopic("reference/expressions", "functions")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rule, an example that keeps it, and the place in the documentation."""

    rule: Promise
    example: str
    topic: HelpTopic


EXPLANATIONS: dict[str, Explanation] = {
    "42703": Explanation(
        _(
            "A column is looked up in the tables of FROM, by the name that each has there. A name with capital letters is"
            " written in double quotes."
        ),
        'SELECT o.total, o."Status"\nFROM orders AS o',
        _STATEMENTS,
    ),
    "42P01": Explanation(
        _(
            "A table is looked up along the search path of the data source; one of another schema is written behind its"
            " schema. Once a table has an alias, only the alias names it."
        ),
        "SELECT o.id\nFROM archive.orders AS o",
        _STATEMENTS,
    ),
    "42702": Explanation(
        _("Two tables of FROM have a column of this name. Write the table's alias in front of it."),
        "SELECT o.id, u.id AS user_id\nFROM orders AS o\nJOIN users AS u ON u.id = o.user_id",
        _STATEMENTS,
    ),
    "42883": Explanation(
        _(
            "A function or an operator exists for certain types only, and none takes the types that are given here. A cast"
            " makes the value one of them."
        ),
        "SELECT * FROM orders\nWHERE order_number = :number::integer",
        _PARAMETERS,
    ),
    "42601": Explanation(
        _(
            "The database cannot read the statement at this place. Most often a comma, a bracket or a word is missing or"
            " one too many just before it."
        ),
        "SELECT region, sum(total) AS total\nFROM orders\nWHERE day >= :since\nGROUP BY region",
        _STATEMENTS,
    ),
    "42803": Explanation(
        _(
            "Beside an aggregate such as sum() each column has one value for many rows. Put it into GROUP BY, or into an"
            " aggregate of its own."
        ),
        "SELECT region, max(day), sum(total)\nFROM orders\nGROUP BY region",
        _STATEMENTS,
    ),
    "42804": Explanation(
        _("Both sides have to be of one type. A cast makes one of them the other's."),
        "SELECT coalesce(note, id::text)\nFROM orders",
        _STATEMENTS,
    ),
    "42P18": Explanation(
        _("Nothing in the statement says which type the parameter has. A cast behind it does."),
        "SELECT :since::date AS since",
        _PARAMETERS,
    ),
    "22P02": Explanation(
        _(
            "A text is read as a number, a date or another type, and does not look like one. Give the parameter the type,"
            " so that agents are told before the query runs."
        ),
        "SELECT * FROM orders\nWHERE id = :id  -- integer",
        _PARAMETERS,
    ),
    "22012": Explanation(
        _(
            "Nothing can be divided by zero. NULLIF makes the divisor null, and the quotient is null then."
        ),
        "SELECT total / NULLIF(count, 0) AS mean\nFROM orders",
        _STATEMENTS,
    ),
    "42501": Explanation(
        _(
            "The role of the data source may not read this. Its owner grants the right, or another data source with"
            " another role is used."
        ),
        "GRANT SELECT ON orders TO reader",
        HelpTopic("security", "a-right-role"),
    ),
    "25006": Explanation(
        _("Tools only read: each query runs in a transaction that cannot write."),
        "SELECT id FROM orders",
        HelpTopic("security", "queries-on-postgresql"),
    ),
    "statement.clause_without_parameter": Explanation(
        _(
            "What stands in [[ ]] is left out when a parameter in it is not given. Without a parameter it would always stay."
        ),
        "SELECT * FROM orders\nWHERE true\n  [[ AND region = :region ]]",
        _OPTIONAL,
    ),
    "statement.clause_in_clause": Explanation(
        _("Optional parts stand side by side, never one in another. Each is left out by itself."),
        "WHERE true\n  [[ AND region = :region ]]\n  [[ AND day >= :since ]]",
        _OPTIONAL,
    ),
    "statement.clause_unclosed": Explanation(
        _("An optional part begins with [[ and ends with ]]."),
        "[[ AND region = :region ]]",
        _OPTIONAL,
    ),
    "statement.list_alone": Explanation(
        _(
            "A list is all values of an IN by itself. Other values stand in a condition of their own."
        ),
        "WHERE region IN (:regions) OR region = 'KR'",
        _LISTS,
    ),
    "statement.string_unclosed": Explanation(
        _("A text begins and ends with a single quote; a quote in it is written twice."),
        "SELECT 'the store''s name'",
        _STATEMENTS,
    ),
    "statement.template_in_string": Explanation(
        _("A parameter is a whole value and never a part of a text. || joins texts."),
        "WHERE name ILIKE '%' || :word || '%'",
        _PARAMETERS,
    ),
    "statement.template_in_name": Explanation(
        _(
            "Parameters are values. A name of a table or a column cannot come from an agent; CASE chooses between columns."
        ),
        "ORDER BY CASE :sort WHEN 'name' THEN name ELSE city END",
        _PARAMETERS,
    ),
    "statement.no_templates": Explanation(
        _(
            "A parameter is written :name or {{name}}; there are no loops or conditions of templates. [[ ]] leaves a part out."
        ),
        "WHERE region = :region\n  [[ AND day >= :since ]]",
        _PARAMETERS,
    ),
    "statement.two_statements": Explanation(
        _("A tool is one query. WITH gives names to steps before it."),
        "WITH sold AS (SELECT * FROM orders)\nSELECT count(*) FROM sold",
        _REFUSED,
    ),
    "statement.only_queries": Explanation(
        _("Tools only read, so a statement begins with SELECT, WITH, VALUES or TABLE."),
        "SELECT id, total FROM orders",
        _REFUSED,
    ),
    "logic.syntax": Explanation(
        _(
            "Python cannot read the text at this place. Blocks are indented below a line that ends with a colon, and"
            " brackets and quotes come in pairs."
        ),
        "total = 0\nfor n in numbers:\n    total += n\nresult = total",
        _SCRIPTS,
    ),
    "script.no_value": Explanation(
        _("The answer is what `result` has at the end, or else the value of the last line."),
        "total = price * count\nresult = {'total': total}",
        _SCRIPTS,
    ),
    "script.no_return": Explanation(
        _(
            "The script is no function: what it gives is `result`, or its last line. return ends a function of it."
        ),
        "result = sum(numbers)",
        _SCRIPTS,
    ),
    "script.read_before": Explanation(
        _("A name that the script sets is its own, and has no value before that line."),
        "total = 0\ntotal = total + 1",
        _SCRIPTS,
    ),
    "script.no_effect": Explanation(
        _("The line calculates something that nobody keeps. Give the value a name."),
        "rows = sort_by(rows, 'price')",
        _SCRIPTS,
    ),
    "expression.no_import": Explanation(
        _(
            "Nothing is imported: the functions for numbers, texts, lists and dates are there by their names."
        ),
        "round(mean(numbers), 2)",
        _EXPRESSIONS,
    ),
    "expression.operator_kinds": Explanation(
        _(
            "An operator takes values that fit together: numbers with numbers, texts with texts. The type of a parameter"
            " says what a value is; float() and str() make one of the other."
        ),
        "total = 0\nfor n in numbers:  # a list of numbers\n    total += n\nresult = total",
        HelpTopic("tools", "parameters"),
    ),
    "expression.argument_kinds": Explanation(
        _(
            "The function takes values of other types. The type of a parameter says what a value is."
        ),
        "round(float(price), 2)",
        _EXPRESSIONS,
    ),
}
# Of what a database says while a query runs, its words are all that is kept.
_WORDS = {
    "division by zero": "22012",
    "permission denied": "42501",
    "invalid input syntax": "22P02",
}
_MIXED = {
    *("expression.operator_kinds", "expression.argument_kinds"),
    *("expression.compare_kinds", "expression.sum_kind"),
}
_SAME = {
    "expression.compare_kinds": "expression.operator_kinds",
    "expression.sum_kind": "expression.argument_kinds",
    "statement.no_alias": "42P01",
    "statement.name_glued": "statement.template_in_name",
}


def show_analysis(analysis: Analysis, show: Callable[[Message], str] = str) -> dict[str, Any]:
    """The analysis for the browser, each finding with the key of its explanation as `rule`, '' if it has none."""
    shown = analysis.to_json(show)
    for found, entry in zip(analysis.diagnostics, shown["diagnostics"], strict=True):
        entry["rule"] = find_rule(found.message, found.code)
    return shown


@dataclass(frozen=True, slots=True)
class TypeOffer:
    """Another type of a parameter, with which the run may well end rightly."""

    name: str
    type: str
    label: str


def offer_types(spec: ToolSpec, error: Message | None) -> tuple[TypeOffer, ...]:
    """What mends a script that calculated with texts, as far as its parameters are to blame."""
    match error:
        case Message(code="script.at_line", values={"line": str(line), "reason": Message() as why}):
            is_mixed = why.code in _MIXED
        case _:
            return ()
    if not is_mixed or not isinstance(spec.logic, ScriptLogic):
        return ()
    types = {parameter.name: parameter.type for parameter in spec.parameters}
    labels = {
        ParameterType.NUMBER: _("%(name)s: make it a number"),
        ParameterType.NUMBER_LIST: _("%(name)s: make it a list of numbers"),
    }
    found = find_texts_of_numbers(spec.logic.script, int(line), types)
    return tuple(TypeOffer(name, kind.value, labels[kind] % {"name": name}) for name, kind in found)


def find_rule(fault: Message, code: str = "") -> str:
    """The key of what explains the fault, of which a database said the code; '' if nothing does."""
    key = _SAME.get(fault.code, fault.code) or code
    if not fault.code and key not in EXPLANATIONS:
        key = next((rule for words, rule in _WORDS.items() if words in str(fault).lower()), "")
    return key if key in EXPLANATIONS else ""
