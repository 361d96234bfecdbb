"""Faults lead to what explains them, and calculating with texts to the types that mend it."""

from html import unescape

import pytest
from django.test import Client

from core.analysis import analyse_python
from core.messages import Message, foreign, message
from core.toolspec import ParameterSpec, ParameterType, ScriptLogic, ToolSpec
from tests.rendered import text_of
from toolbuilder.editing.explanations import EXPLANATIONS, find_rule, offer_types, show_analysis

SCRIPT = (
    "total = 0\nfor n in numbers:\n    if n != label:\n        total = total + n\nresult = total"
)


@pytest.mark.parametrize(
    ("fault", "code", "rule"),
    [
        pytest.param(foreign('column "a" does not exist'), "42703", "42703", id="SQLSTATE"),
        pytest.param(foreign("ERROR: division by zero"), "", "22012", id="words of a run"),
        pytest.param(message("statement.list_alone", "x"), "", "statement.list_alone", id="ours"),
        pytest.param(message("statement.no_alias", "x"), "42P01", "42P01", id="same as another"),
        pytest.param(foreign("something else"), "XX000", "", id="nothing to say"),
    ],
)
def test_fault_leads_to_its_rule(fault: Message, code: str, rule: str) -> None:
    assert find_rule(fault, code) == rule


def test_findings_carry_their_rule() -> None:
    found = show_analysis(analyse_python(ScriptLogic("import os\nreturn 1"), ()))

    assert [one["rule"] for one in found["diagnostics"]] == [
        "expression.no_import",
        "script.no_return",
    ]


@pytest.mark.parametrize("rule", EXPLANATIONS)
def test_rule_is_shown_with_an_example_and_its_page(admin: Client, rule: str) -> None:
    address = f"/tools/~/explanations/{rule}/"

    card = admin.get(address, headers={"HX-Request": "true"})

    assert EXPLANATIONS[rule].example.split("\n")[0] in unescape(text_of(card))
    assert admin.get(address)["Location"] == EXPLANATIONS[rule].topic.address


def test_unknown_rule_is_not_found(admin: Client) -> None:
    assert admin.get("/tools/~/explanations/nope/").status_code == 404


@pytest.mark.parametrize(
    ("code", "line", "offered"),
    [
        pytest.param("expression.operator_kinds", 4, [("numbers", "NUMBER_LIST")], id="loop"),
        pytest.param("expression.compare_kinds", 4, [("numbers", "NUMBER_LIST")], id="comparison"),
        pytest.param("expression.sum_kind", 4, [("numbers", "NUMBER_LIST")], id="sum"),
        pytest.param("expression.operator_kinds", 1, [], id="no parameter"),
        pytest.param("expression.no_key", 4, [], id="another fault"),
    ],
)
def test_texts_that_are_calculated_with_are_offered_as_numbers(
    code: str, line: int, offered: list[tuple[str, str]]
) -> None:
    parameters = tuple(
        ParameterSpec(name=name, type=ParameterType.STRING) for name in ("numbers", "label")
    )
    spec = ToolSpec(id=1, name="s", logic=ScriptLogic(SCRIPT), parameters=parameters)
    error = message("script.at_line", "x", line=str(line), reason=message(code, "cannot"))

    assert [(offer.name, offer.type) for offer in offer_types(spec, error)] == offered
