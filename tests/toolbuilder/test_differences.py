"""Two states of a tool are compared field by field, and what breaks calls is named."""

from dataclasses import replace
from typing import Any

import pytest

from toolbuilder.history.breaking_changes import find_breaking_changes
from toolbuilder.history.difference_text import difference_lines
from toolbuilder.history.differences import compare, compare_lines
from tools.snapshots import ParameterSnapshot, ToolSnapshot

A = ParameterSnapshot(param_name="a")
B = ParameterSnapshot(param_name="b", param_type="NUMBER")
C = ParameterSnapshot(param_name="c", param_type="DATE")
TOOL = ToolSnapshot(name="tool", definition="SELECT :a\n, :b\n, :c", parameters=(A, B, C))


def lines(**fields: Any) -> list[str]:
    return list(difference_lines(compare(TOOL, replace(TOOL, **fields))))


def test_same_tool_has_no_difference() -> None:
    assert not compare(TOOL, replace(TOOL))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({"row_limit": 5}, ["row_limit: 1000 -> 5"], id="field"),
        pytest.param({"data_source": "shop"}, ['data_source: null -> "shop"'], id="source"),
        pytest.param(
            {"definition": "SELECT :a\n, :b + 1\n, :c"},
            ["definition:", "    SELECT :a", "  - , :b", "  + , :b + 1", "    , :c"],
            id="logic",
        ),
        pytest.param({"parameters": (A, B)}, ["parameter c: removed"], id="removed"),
        pytest.param({"parameters": (B, C, A)}, ["parameter a: moved from 1 to 3"], id="moved"),
        pytest.param(
            {"parameters": (A, B, replace(C, param_name="day"))},
            ["parameter c: renamed to day"],
            id="renamed",
        ),
        pytest.param(
            {"parameters": (A, B, replace(C, param_name="day", description="When."))},
            ["parameter day: added", "parameter c: removed"],
            id="another one",
        ),
        pytest.param(
            {"parameters": (A, replace(B, nullable=True), C)},
            ["parameter b: changed", "  nullable: false -> true"],
            id="changed",
        ),
    ],
)
def test_difference_is_told(fields: dict[str, Any], told: list[str]) -> None:
    assert lines(**fields) == told


def test_lines_are_numbered_on_both_sides() -> None:
    told = [(line.kind, line.old_number, line.new_number) for line in compare_lines("a\nb", "b\nc")]

    assert told == [("removed", 1, None), ("same", 2, 1), ("added", None, 2)]


def broken(old: ParameterSnapshot, new: ParameterSnapshot) -> list[str]:
    before, after = (replace(TOOL, parameters=(one,)) for one in (old, new))
    return [change.code for change in find_breaking_changes(before, after)]


OPTIONAL = replace(B, is_required=False)
LISTED = replace(A, allowed_values=["x", "y"])
BOUNDED = replace(B, minimum="1", maximum="9")


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        pytest.param(A, A, [], id="same"),
        pytest.param(A, B, ["parameter-removed", "parameter-required"], id="another one"),
        pytest.param(A, replace(A, param_name="z"), ["parameter-renamed"], id="renamed"),
        pytest.param(A, OPTIONAL, ["parameter-removed"], id="removed"),
        pytest.param(A, replace(A, binding="FIXED"), ["parameter-removed"], id="bound"),
        pytest.param(replace(A, binding="FIXED"), A, ["parameter-required"], id="unbound"),
        pytest.param(OPTIONAL, B, ["parameter-required"], id="required"),
        pytest.param(OPTIONAL, replace(OPTIONAL, default=1), ["null-refused"], id="null refused"),
        pytest.param(B, OPTIONAL, [], id="optional"),
        pytest.param(B, replace(B, param_type="INTEGER"), ["type-narrowed"], id="narrower"),
        pytest.param(replace(B, param_type="INTEGER"), B, [], id="wider"),
        pytest.param(LISTED, replace(A, allowed_values=["x"]), ["values-narrowed"], id="value"),
        pytest.param(A, LISTED, ["values-narrowed"], id="a list"),
        pytest.param(LISTED, A, [], id="no list any more"),
        pytest.param(B, BOUNDED, ["range-narrowed"], id="bounds"),
        pytest.param(B, replace(B, maximum="9"), ["range-narrowed"], id="a maximum"),
        pytest.param(BOUNDED, replace(BOUNDED, maximum="10"), [], id="wider bounds"),
        pytest.param(BOUNDED, replace(BOUNDED, minimum="10"), ["range-narrowed"], id="numbers"),
        pytest.param(A, replace(A, pattern="x+"), ["range-narrowed"], id="pattern"),
        pytest.param(A, replace(A, description="What it is."), [], id="description"),
    ],
)
def test_change_of_a_parameter_breaks_calls_or_not(
    old: ParameterSnapshot, new: ParameterSnapshot, codes: list[str]
) -> None:
    assert broken(old, new) == codes


def test_other_name_and_kind_of_the_tool_break_calls() -> None:
    changes = find_breaking_changes(TOOL, replace(TOOL, name="other", tool_type="PYTHON"))

    assert [change.text for change in changes] == [
        "The tool is no longer called tool.",
        "The answers have another form.",
    ]
