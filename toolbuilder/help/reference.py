"""What can be written in a tool's logic: the tables of docs/reference and the functions of the evaluator themselves."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.expressions.numbers import CONSTANTS
from core.expressions.table import Function
from core.scripts.functions import SCRIPT_FUNCTIONS, SCRIPT_METHODS
from toolbuilder.help.links import HelpTopic
from toolbuilder.help.pages import find_page

# The page of docs/ on the logic of each kind of tool.
REFERENCE_PAGES: Mapping[str, str] = MappingProxyType(
    {"SQL": "reference/statements", "PYTHON": "reference/expressions", "HTTP": "http-tools"}
)
_TABLES = MappingProxyType(
    {
        "SQL": (
            (_("Parameters"), HelpTopic("reference/statements", "parameters")),
            (_("Optional clauses"), HelpTopic("reference/statements", "optional-clauses")),
            (_("Lists"), HelpTopic("reference/statements", "lists")),
            (_("Limits"), HelpTopic("reference/statements", "limits")),
            (_("What is refused"), HelpTopic("reference/statements", "what-is-refused")),
        ),
        "HTTP": ((_("Parts of a request"), HelpTopic("http-tools", "in-the-editor")),),
    }
)
# Nobody wants to insert what is refused.
_READ_ONLY = ("what-is-refused", "limits", "in-the-editor")
_CLAUSE = re.compile(r"\[\[.+?\]\]")


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """A form or a function with what it means; `insert` is what Enter puts at the cursor, '' for nothing.

    `back` is how many characters the cursor then goes back.
    """

    form: str
    text: str
    insert: str = ""
    back: int = 0


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    """Entries under a heading; `address` leads to the whole text."""

    title: str | Promise
    entries: tuple[ReferenceEntry, ...]
    address: str = ""


def list_reference(kind: str) -> list[ReferenceGroup]:
    """What can be written in the logic of that kind of tool."""
    if kind == "PYTHON":
        return [*_list_python()]
    return [
        ReferenceGroup(title, tuple(read_table(topic)), topic.address)
        for title, topic in _TABLES[kind]
    ]


def read_table(topic: HelpTopic) -> Iterator[ReferenceEntry]:
    """The rows of the tables under a heading of the documentation; their first code, or its `[[ ]]`, can be inserted."""
    page = find_page(topic.page)
    for row in page.section(topic.anchor).rows if page else ():
        form, *others = row.cells
        clause = _CLAUSE.search(row.code)
        insert = "" if topic.anchor in _READ_ONLY else clause[0] if clause else row.code
        yield ReferenceEntry(form, " · ".join(filter(None, others)), insert)


@cache
def _list_python() -> tuple[ReferenceGroup, ...]:
    functions = [
        _to_entry(name, function, name) for name, function in sorted(SCRIPT_FUNCTIONS.items())
    ]
    methods: dict[tuple[str, str], ReferenceEntry] = {}
    for kind, table in SCRIPT_METHODS.items():
        for name, method in table.items():
            entry = _to_entry(f".{name}", method, f"{kind.__name__}.{name}", skipped=1)
            methods.setdefault((name, entry.text), entry)
    constants = [ReferenceEntry(name, value.doc, name) for name, value in CONSTANTS.items()]
    by_name = [entry for _key, entry in sorted(methods.items())]
    return (
        ReferenceGroup(_("Functions"), tuple(functions)),
        ReferenceGroup(_("Methods"), tuple(by_name)),
        ReferenceGroup(_("Constants"), tuple(constants)),
    )


def _to_entry(insert: str, function: Function, form: str, skipped: int = 0) -> ReferenceEntry:
    """Without the first so many parameters; the cursor goes between the brackets if there are others."""
    parameters = list(function.signature.parameters.values())[skipped:]
    shown = form + str(function.signature.replace(parameters=parameters))
    return ReferenceEntry(shown, function.doc, f"{insert}()", back=1 if parameters else 0)
