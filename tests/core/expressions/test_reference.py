"""The reference pages hold what the tables of functions and methods hold."""

from collections.abc import Mapping
from inspect import Signature
from pathlib import Path

import pytest

from core.expression import CONSTANTS, FUNCTIONS, METHODS
from core.expressions.table import Function
from core.script import SCRIPT_FUNCTIONS, SCRIPT_METHODS

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


def function_rows(table: Mapping[str, Function]) -> str:
    return "\n".join(
        f"| `{name}{table[name].signature}` | {table[name].doc} |" for name in sorted(table)
    )


def method_rows(table: Mapping[str, Function]) -> str:
    """As above; the object stands before the point."""
    return "\n".join(
        f"| `.{name}{without_first(table[name].signature)}` | {table[name].doc} |"
        for name in sorted(table)
    )


def without_first(signature: Signature) -> Signature:
    return Signature(list(signature.parameters.values())[1:])


def added(table: Mapping[str, Function], known: Mapping[str, Function]) -> dict[str, Function]:
    return {name: entry for name, entry in table.items() if known.get(name) is not entry}


def test_every_function_of_expressions_has_its_row() -> None:
    page = (REFERENCE / "expressions.md").read_text()

    assert function_rows(FUNCTIONS) in page


@pytest.mark.parametrize("kind", METHODS, ids=lambda kind: kind.__name__)
def test_every_method_of_expressions_has_its_row(kind: type) -> None:
    page = (REFERENCE / "expressions.md").read_text()

    assert f"### Of `{kind.__name__}`" in page
    assert method_rows(METHODS[kind]) in page


def test_every_constant_has_its_row() -> None:
    page = (REFERENCE / "expressions.md").read_text()

    rows = [f"| `{name}` | {constant.doc} |" for name, constant in sorted(CONSTANTS.items())]
    assert "\n".join(rows) in page


def test_every_function_that_scripts_add_has_its_row() -> None:
    page = (REFERENCE / "scripts.md").read_text()

    assert function_rows(added(SCRIPT_FUNCTIONS, FUNCTIONS)) in page


@pytest.mark.parametrize("kind", [list, dict, set], ids=lambda kind: kind.__name__)
def test_every_method_that_scripts_add_has_its_row(kind: type) -> None:
    page = (REFERENCE / "scripts.md").read_text()

    assert f"### Of `{kind.__name__}`" in page
    assert method_rows(added(SCRIPT_METHODS[kind], METHODS.get(kind, {}))) in page
