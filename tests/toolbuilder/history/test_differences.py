"""Two states of a tool are compared field by field, and what breaks calls is named."""

from typing import Any

import pytest

from toolbuilder.history.breaking_changes import find_breaking_changes
from toolbuilder.history.differences import compare, compare_lines, difference_lines
from tools.definitions import ParameterDocument, ToolDocument

A = ParameterDocument(param_name="a")
B = ParameterDocument(param_name="b", param_type="NUMBER")
C = ParameterDocument(param_name="c", param_type="DATE")
TOOL = ToolDocument(name="tool", definition="SELECT :a\n, :b\n, :c", parameters=(A, B, C))


def lines(**fields: Any) -> list[str]:
    return list(difference_lines(compare(TOOL, TOOL.replace(**fields))))


def test_same_tool_has_no_difference() -> None:
    assert not compare(TOOL, TOOL.replace())


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
            {"parameters": (A, B, C.replace(param_name="day"))},
            ["parameter c: renamed to day"],
            id="renamed",
        ),
        pytest.param(
            {"parameters": (A, B, C.replace(param_name="day", description="When."))},
            ["parameter day: added", "parameter c: removed"],
            id="another one",
        ),
        pytest.param(
            {"parameters": (A, B.replace(nullable=True), C)},
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


def broken(old: ParameterDocument, new: ParameterDocument) -> list[str]:
    before, after = (TOOL.replace(parameters=(one,)) for one in (old, new))
    return [change.code for change in find_breaking_changes(before, after)]


OPTIONAL = B.replace(is_required=False)
LISTED = A.replace(allowed_values=["x", "y"])
BOUNDED = B.replace(minimum="1", maximum="9")


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        pytest.param(A, A, [], id="same"),
        pytest.param(A, B, ["parameter-removed", "parameter-required"], id="another one"),
        pytest.param(A, A.replace(param_name="z"), ["parameter-renamed"], id="renamed"),
        pytest.param(A, OPTIONAL, ["parameter-removed"], id="removed"),
        pytest.param(A, A.replace(binding="FIXED"), ["parameter-removed"], id="bound"),
        pytest.param(A.replace(binding="FIXED"), A, ["parameter-required"], id="unbound"),
        pytest.param(OPTIONAL, B, ["parameter-required"], id="required"),
        pytest.param(OPTIONAL, OPTIONAL.replace(default=1), ["null-refused"], id="null refused"),
        pytest.param(B, OPTIONAL, [], id="optional"),
        pytest.param(B, B.replace(param_type="INTEGER"), ["type-narrowed"], id="narrower"),
        pytest.param(B.replace(param_type="INTEGER"), B, [], id="wider"),
        pytest.param(B, B.replace(param_type="DECIMAL"), [], id="exact"),
        pytest.param(LISTED, A.replace(allowed_values=["x"]), ["values-narrowed"], id="value"),
        pytest.param(A, LISTED, ["values-narrowed"], id="a list"),
        pytest.param(LISTED, A, [], id="no list any more"),
        pytest.param(B, BOUNDED, ["range-narrowed"], id="bounds"),
        pytest.param(B, B.replace(maximum="9"), ["range-narrowed"], id="a maximum"),
        pytest.param(BOUNDED, BOUNDED.replace(maximum="10"), [], id="wider bounds"),
        pytest.param(BOUNDED, BOUNDED.replace(minimum="10"), ["range-narrowed"], id="numbers"),
        pytest.param(A, A.replace(pattern="x+"), ["range-narrowed"], id="pattern"),
        pytest.param(A, A.replace(description="What it is."), [], id="description"),
    ],
)
def test_change_of_a_parameter_breaks_calls_or_not(
    old: ParameterDocument, new: ParameterDocument, codes: list[str]
) -> None:
    assert broken(old, new) == codes


def test_other_name_and_kind_of_the_tool_break_calls() -> None:
    changes = find_breaking_changes(TOOL, TOOL.replace(name="other", tool_type="PYTHON"))

    assert [change.text for change in changes] == [
        "The tool is no longer called tool.",
        "The answers have another form.",
    ]
