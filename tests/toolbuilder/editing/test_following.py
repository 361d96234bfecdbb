"""Parameter rows follow the logic, and lose nothing that somebody wrote."""

from dataclasses import replace

import pytest

from core.analysis import Analysis, FoundParameter
from core.diagnostics import Diagnostic
from core.messages import foreign
from core.toolspec import ParameterType
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.examining import follow_logic, types_to_infer
from tools.definitions import ParameterDocument, ToolDocument


def found(**types: ParameterType) -> Analysis:
    names = tuple(FoundParameter(name, kind, is_declared=False) for name, kind in types.items())
    return Analysis(text="", parameters=names)


def document(
    *rows: ParameterDocument, auto: tuple[str, ...] = (), **tests: object
) -> DraftDocument:
    return DraftDocument(tool=ToolDocument(parameters=rows), test_values=tests, auto_types=auto)


def names(followed: DraftDocument) -> list[str]:
    return [one.param_name for one in followed.tool.parameters]


def test_used_names_become_rows_of_the_inferred_type() -> None:
    followed = follow_logic(
        document(), found(region=ParameterType.STRING, since=ParameterType.DATE)
    )

    assert [(one.param_name, one.param_type) for one in followed.tool.parameters] == [
        ("region", "STRING"),
        ("since", "DATE"),
    ]
    assert followed.auto_types == ("region", "since")


def test_row_of_what_may_be_left_out_is_not_required() -> None:
    uses = (FoundParameter("a", ParameterType.STRING, is_declared=False, is_optional=True),)

    followed = follow_logic(document(), Analysis(text="", parameters=uses))

    assert [one.is_required for one in followed.tool.parameters] == [False]


@pytest.mark.parametrize(
    ("auto", "is_optional", "is_required"),
    [
        pytest.param(("a",), True, False, id="released"),
        pytest.param(("a",), False, True, id="required again"),
        pytest.param((), True, True, id="set by hand"),
    ],
)
def test_presence_follows_until_somebody_sets_it(
    auto: tuple[str, ...], is_optional: bool, is_required: bool
) -> None:
    row = ParameterDocument(param_name="a", is_required=True, description="Said", example="x")
    uses = (FoundParameter("a", ParameterType.STRING, False, is_optional=is_optional),)
    typed = replace(document(row), auto_presence=auto)

    followed = follow_logic(typed, Analysis(text="", parameters=uses))

    assert [one.is_required for one in followed.tool.parameters] == [is_required]
    assert followed.auto_presence == auto


def test_text_with_a_fault_makes_nothing_required() -> None:
    fault = Diagnostic(message=foreign("syntax error"))
    uses = (FoundParameter("a", ParameterType.STRING, is_declared=False),)
    typed = replace(
        document(ParameterDocument(param_name="a", is_required=False)), auto_presence=("a",)
    )

    followed = follow_logic(typed, Analysis(text="", parameters=uses, diagnostics=(fault,)))

    assert [one.is_required for one in followed.tool.parameters] == [False]


def test_type_follows_until_somebody_chooses_one() -> None:
    rows = [ParameterDocument(param_name="a"), ParameterDocument(param_name="b")]
    followed = follow_logic(
        document(*rows, auto=("a",)), found(a=ParameterType.INTEGER, b=ParameterType.INTEGER)
    )

    assert [one.param_type for one in followed.tool.parameters] == ["INTEGER", "STRING"]


def test_open_types_are_asked_of_the_database() -> None:
    rows = [ParameterDocument(param_name="a"), ParameterDocument(param_name="b")]

    assert names(types_to_infer(document(*rows, auto=("a",)))) == ["b"]


def test_mended_name_keeps_all_that_was_said_of_it() -> None:
    row = ParameterDocument(param_name="user_nam", description="Login name", example="hong")

    followed = follow_logic(
        document(row, auto=("user_nam",), user_nam="kim"), found(user_name=ParameterType.STRING)
    )

    assert followed.tool.parameters == (
        ParameterDocument(param_name="user_name", description="Login name", example="hong"),
    )
    assert followed.test_values == {"user_name": "kim"}
    assert followed.auto_types == ("user_name",)


def test_another_name_is_another_parameter() -> None:
    row = ParameterDocument(param_name="since", description="First day")

    followed = follow_logic(document(row), found(region=ParameterType.STRING))

    assert names(followed) == ["since", "region"]


def test_untouched_row_goes_with_its_name_and_a_described_one_stays() -> None:
    rows = [
        ParameterDocument(param_name="half", param_type="DATE"),
        ParameterDocument(param_name="kept", description="Said"),
        ParameterDocument(param_name="tried"),
    ]
    followed = follow_logic(document(*rows, auto=("half", "kept", "tried"), tried=1), found())

    assert names(followed) == ["kept", "tried"]


def test_no_row_goes_while_the_text_has_a_fault() -> None:
    faulty = Analysis(text="", diagnostics=(Diagnostic(message=foreign("syntax error")),))

    followed = follow_logic(document(ParameterDocument(param_name="a"), auto=("a",)), faulty)

    assert names(followed) == ["a"]


def test_at_most_two_hundred_rows_appear() -> None:
    many = {f"p{number}": ParameterType.STRING for number in range(300)}

    assert len(names(follow_logic(document(), found(**many)))) == 200
