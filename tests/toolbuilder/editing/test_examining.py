"""A working copy as the database sees it, with rows that follow and faults that are named."""

from dataclasses import replace
from typing import Any

import pytest

from catalog.sources.settings import SourceSettings, read_sources
from core.diagnostics import Severity
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.examining import Examined, examine
from tools.definitions import ParameterDocument, ToolDocument

pytestmark = pytest.mark.django_db


def look(
    sources: SourceSettings, definition: str, *rows: ParameterDocument, **more: Any
) -> Examined:
    tool = ToolDocument(name="stock", definition=definition, parameters=rows, **more)
    return examine(DraftDocument(tool=tool), sources, "kim")


def test_rows_appear_with_the_types_of_the_database(sources: SourceSettings) -> None:
    examined = look(
        sources, "SELECT id FROM stock_level WHERE day >= :since AND id = :id LIMIT :row_limit"
    )

    assert [(one.name, one.type.value) for one in examined.spec.parameters] == [  # type: ignore[union-attr]
        ("since", "DATE"),
        ("id", "INTEGER"),
        ("row_limit", "INTEGER"),
    ]
    assert examined.is_valid


@pytest.mark.parametrize(
    ("before", "typed", "condition", "expected"),
    [
        pytest.param("STRING", "1, 2", "id IN (:x)", [1, 2], id="list"),
        pytest.param("INTEGER", 1, "id IN (:x)", [1], id="number to list"),
        pytest.param("INTEGER_LIST", [1, 2], "region = :x", "1, 2", id="list to text"),
        pytest.param("STRING", "", "region IN (:x)", [], id="empty"),
        pytest.param("STRING", None, "region IN (:x)", None, id="null"),
        pytest.param("STRING", "soon", "day = :x", "soon", id="no such value"),
    ],
)
def test_test_value_is_read_again_for_another_inferred_type(
    sources: SourceSettings, *, before: str, typed: Any, condition: str, expected: Any
) -> None:
    tool = ToolDocument(
        name="stock",
        definition=f"SELECT id FROM stock_level WHERE {condition}",  # noqa: S608 - a text
        parameters=(ParameterDocument(param_name="x", param_type=before),),
    )
    document = DraftDocument(tool=tool, test_values={"x": typed}, auto_types=("x",))

    examined = examine(document, sources, "kim")

    assert examined.document.test_values == {"x": expected}


def test_type_follows_when_the_column_changes(sources: SourceSettings) -> None:
    first = look(sources, "SELECT id FROM stock_level WHERE id = :value")
    changed = replace(
        first.document,
        tool=first.document.tool.replace(
            definition="SELECT id FROM stock_level WHERE day = :value"
        ),
    )

    examined = examine(changed, sources, "kim")

    assert examined.document.tool.parameters[0].param_type == "DATE"


def test_parameter_that_cannot_be_read_is_named_and_the_rest_is_judged(
    sources: SourceSettings,
) -> None:
    odd = ParameterDocument(param_name="region", param_type="WORD")

    examined = look(sources, "SELECT id FROM stock_level WHERE region = :region", odd)

    assert "param_type must be one of" in str(examined.faults["region"])
    assert not examined.is_valid
    assert [one.name for one in examined.analysis.columns] == ["id"]


def test_default_of_another_type_is_a_fault_of_its_row(sources: SourceSettings) -> None:
    row = ParameterDocument(
        param_name="id", param_type="INTEGER", is_required=False, default="many"
    )

    examined = look(sources, "SELECT id FROM stock_level WHERE id = :id", row)

    assert list(examined.faults) == ["id"]


@pytest.mark.parametrize(
    ("tool_type", "definition"), [("SQL", "SELECT 1 AS one"), ("PYTHON", "1 + 1")]
)
def test_unused_parameter_is_a_warning(
    sources: SourceSettings, tool_type: str, definition: str
) -> None:
    row = ParameterDocument(param_name="a", description="x")

    examined = look(sources, definition, row, tool_type=tool_type)

    [warning] = examined.analysis.diagnostics
    assert (warning.severity, warning.parameter) == (Severity.WARNING, "a")
    assert examined.is_valid


def test_constant_needs_no_row_and_gives_way_to_one(sources: SourceSettings) -> None:
    row = ParameterDocument(param_name="e", param_type="NUMBER", description="x")

    alone = look(sources, "pi * e ** 2", tool_type="PYTHON")
    with_row = look(sources, "pi * e ** 2", row, tool_type="PYTHON")

    assert alone.is_valid
    assert not alone.document.tool.parameters
    assert with_row.document.tool.parameters == (row,)
    assert not with_row.analysis.diagnostics


def test_data_source_that_is_gone_is_said(db: None) -> None:
    examined = look(read_sources(), "SELECT 1 AS one", data_source="gone")

    assert examined.spec is None
    assert "there is no data source 'gone'" in str(examined.analysis.diagnostics[0].message)


@pytest.mark.parametrize("definition", ["", "SELECT", "SELECT '", ":", "\U0001f600" * 100])
def test_anything_may_be_typed(sources: SourceSettings, definition: str) -> None:
    assert not look(sources, definition).is_valid


def test_mended_name_is_valid_at_once(sources: SourceSettings) -> None:
    row = ParameterDocument(param_name="since", param_type="DATE", description="First day")

    examined = look(sources, "SELECT id FROM stock_level WHERE day >= :since_day", row)

    assert examined.faults == {}
    assert examined.is_valid
