"""Rows to ToolSpec: what each column may say, and the words for what it may not."""

from typing import Any

import pytest

from catalog.models import DataSource
from core.errors import DefinitionError
from core.toolspec import (
    Binding,
    Dialect,
    ExpressionLogic,
    ParameterSpec,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)
from tools.models import ParameterBinding, ToolDefinition, ToolParameter
from tools.specs import build_spec

SCRIPT = "total = 0\nfor n in numbers:\n    total = total + n\nresult = total"
DIALECTS: dict[str | None, Dialect] = {"shop": Dialect.SQLITE, "sales": Dialect.POSTGRESQL}


def spec_of(definition: str = "SELECT 1", **columns: Any) -> ToolSpec:
    tool = ToolDefinition(id=1, name="tool", definition=definition, **columns)
    return build_spec(tool, [], DIALECTS)


def parameter_of(**columns: Any) -> ParameterSpec:
    tool = ToolDefinition(id=1, name="tool", definition="SELECT 1")
    row = ToolParameter(param_name="tenant", **columns)
    return build_spec(tool, [row]).parameters[0]


def test_every_binding_can_be_chosen_in_a_row() -> None:
    assert set(ParameterBinding.values) == set(Binding)


def test_parameter_is_the_agents_where_nothing_is_said() -> None:
    spec = parameter_of()

    assert (spec.binding, spec.bound_value) == (Binding.AGENT, None)


@pytest.mark.parametrize(
    ("written", "binding"),
    [
        pytest.param("CLAIM", Binding.CLAIM, id="as declared"),
        pytest.param("claim", Binding.CLAIM, id="small letters"),
        pytest.param(" Key_Owner ", Binding.KEY_OWNER, id="mixed, with blanks"),
    ],
)
def test_binding_is_read_in_any_case(written: str, binding: Binding) -> None:
    spec = parameter_of(binding=written, bound_value="tenant")

    assert (spec.binding, spec.bound_value) == (binding, "tenant")


def test_unknown_binding_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DefinitionError) as caught:
        parameter_of(binding="HEADER")

    assert str(caught.value) == (
        "tenant: binding must be one of AGENT, FIXED, KEY_OWNER, KEY_ID, CLAIM (got 'HEADER')"
    )


@pytest.mark.parametrize(
    ("definition", "logic"),
    [
        pytest.param("a * b", ExpressionLogic("a * b"), id="expression"),
        pytest.param("result = a * b", ExpressionLogic("result = a * b"), id="assignment"),
        pytest.param(SCRIPT, ScriptLogic(SCRIPT), id="several lines"),
        pytest.param('{"expression": "a * b"}', ExpressionLogic("a * b"), id="expression in JSON"),
        pytest.param('{"script": "result = a"}', ScriptLogic("result = a"), id="script in JSON"),
        pytest.param('{"a": a}', ExpressionLogic('{"a": a}'), id="dict, not JSON"),
        pytest.param('{"a": 1}', ExpressionLogic('{"a": 1}'), id="dict that is JSON too"),
    ],
)
def test_python_is_an_expression_or_a_script(
    definition: str, logic: ExpressionLogic | ScriptLogic
) -> None:
    assert spec_of(definition, tool_type="PYTHON").logic == logic


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        pytest.param(
            '{"script": "result = 1", "expression": "1"}',
            "definition: give an expression or a script, not both",
            id="both",
        ),
        pytest.param('{"script": ["result = 1"]}', "definition: script must be text", id="a list"),
    ],
)
def test_json_definition_of_python_says_what_is_wrong(definition: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        spec_of(definition, tool_type="PYTHON")


@pytest.mark.parametrize(
    ("definition", "source", "expected"),
    [
        pytest.param("SELECT 1", None, (None, Dialect.POSTGRESQL), id="default"),
        pytest.param("SELECT 1", "shop", ("shop", Dialect.SQLITE), id="of the row"),
        pytest.param("SELECT 1", "gone", ("gone", Dialect.POSTGRESQL), id="unknown"),
        pytest.param(
            '{"sql": "SELECT 1", "data_source": "shop"}',
            "sales",
            ("shop", Dialect.SQLITE),
            id="of the definition",
        ),
    ],
)
def test_dialect_is_that_of_the_data_source(
    definition: str, source: str | None, expected: tuple[str | None, Dialect]
) -> None:
    row = DataSource(name=source) if source else None

    logic = spec_of(definition, data_source=row).logic

    assert isinstance(logic, SqlLogic)
    assert (logic.data_source, logic.dialect) == expected
