"""The editor's form: what is posted is the working copy, and what is left out stays."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from core.errors import DefinitionError
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.form import read_form
from tools.definitions import ParameterDocument, ToolDocument


def posted(**fields: Any) -> QueryDict:
    return QueryDict(
        urlencode({name.replace("__", "-"): v for name, v in fields.items()}, doseq=True)
    )


def read(current: DraftDocument | None = None, **fields: Any) -> DraftDocument:
    return read_form(posted(**fields), current or DraftDocument(tool=ToolDocument()))


def parameter(**fields: Any) -> ParameterDocument:
    given = {f"p__{name}": value for name, value in {"name": "p", **fields}.items()}
    return read(parameter=["", "p"], **given).tool.parameters[0]


def test_fields_that_are_left_out_stay() -> None:
    row = ParameterDocument(param_name="a", description="said")
    current = DraftDocument(
        tool=ToolDocument(name="old", title="Title", parameters=(row,)),
        test_values={"a": 1},
        auto_types=("a",),
    )

    changed = read(current, name="new")

    assert (changed.tool.name, changed.tool.title) == ("new", "Title")
    assert changed.tool.parameters == (row,)
    assert (changed.test_values, changed.auto_types) == ({"a": 1}, ("a",))


@pytest.mark.parametrize(
    ("fields", "auto"),
    [
        pytest.param({"p__presence": "required", "p__required": "1"}, ("p",), id="as it was shown"),
        pytest.param({"p__presence": "required"}, (), id="switched off"),
        pytest.param({"p__presence": "optional", "p__required": "1"}, (), id="switched on"),
        pytest.param({"p__required": "1"}, (), id="set before"),
    ],
)
def test_switch_that_somebody_moves_is_theirs(
    fields: dict[str, Any], auto: tuple[str, ...]
) -> None:
    assert read(parameter="p", p__name="p", **fields).auto_presence == auto


def test_line_ends_are_those_that_offsets_count() -> None:
    assert read(definition="SELECT\r\n1\r").tool.definition == "SELECT\n1\n"


def test_limits_tags_and_annotations_are_read() -> None:
    tool = read(
        row_limit="1,000",
        timeout_ms="soon",
        tags="매출, 日次；週次, 매출",
        data_source="",
        annotation__readOnlyHint="true",
        annotation__idempotentHint="",
    ).tool

    assert (tool.row_limit, tool.timeout_ms) == (1000, 0)
    assert tool.tags == ["매출", "日次", "週次"]
    assert tool.data_source is None
    assert tool.annotations == {"readOnlyHint": True}


def test_empty_number_of_errors_is_no_rule() -> None:
    ruled = read(breaker_errors="5", breaker_minutes=" 10 ").tool
    without = read(DraftDocument(tool=ruled), breaker_errors="", breaker_minutes="").tool

    assert (ruled.breaker_errors, ruled.breaker_minutes) == (5, 10)
    assert (without.breaker_errors, without.breaker_minutes) == (None, None)
    assert read(breaker_errors="many").tool.breaker_errors == 0


def test_rows_stand_in_the_order_of_the_page() -> None:
    read_back = read(
        parameter=["", "b", "a"], b__name="b", a__name="a", a__type="AUTO", b__type="DATE"
    )

    assert [one.param_name for one in read_back.tool.parameters] == ["b", "a"]
    assert read_back.auto_types == ("a",)


def test_last_row_can_go() -> None:
    current = DraftDocument(tool=ToolDocument(parameters=(ParameterDocument(param_name="a"),)))

    assert read(current, parameter="").tool.parameters == ()


def test_row_is_read_with_values_of_its_type() -> None:
    assert parameter(
        type="INTEGER",
        description="How many",
        default="20",
        nullable="1",
        allowed_values="10\r\n20\r\n",
        minimum=" 1 ",
        maximum="",
        example="10",
    ) == ParameterDocument(
        param_name="p",
        param_type="INTEGER",
        is_required=False,
        description="How many",
        default=20,
        nullable=True,
        allowed_values=[10, 20],
        minimum="1",
        example=10,
    )


def test_required_parameter_has_no_default() -> None:
    required = parameter(type="INTEGER", required="1", default="20")

    assert (required.is_required, required.default) == (True, None)


@pytest.mark.parametrize(
    ("binding", "text", "value"),
    [
        ("FIXED", "7", 7),
        ("CLAIM", " tenant ", "tenant"),
        ("KEY_OWNER", "ignored", None),
        ("AGENT", "ignored", None),
        ("WHO", "ignored", None),
    ],
)
def test_bound_value_is_that_of_its_binding(binding: str, text: str, value: object) -> None:
    assert parameter(type="INTEGER", binding=binding, bound_value=text).bound_value == value


def test_test_values_tell_absent_null_and_empty_apart() -> None:
    rows: dict[str, Any] = {f"{name}__{field}": text for name, field, text in [
        ("a", "test", ""), ("b", "test_state", "null"), ("c", "test_state", "empty"), ("d", "test", "x"),
    ]}  # fmt: skip
    names: dict[str, Any] = {f"{name}__name": name for name in "abcd"}

    values = read(parameter=["", *"abcd"], **rows, **names).test_values

    assert values == {"b": None, "c": "", "d": "x"}


def test_open_type_reads_values_as_the_type_it_had() -> None:
    row = ParameterDocument(param_name="p", param_type="INTEGER")
    current = DraftDocument(tool=ToolDocument(parameters=(row,)), auto_types=("p",))

    changed = read(current, parameter=["", "p"], p__name="p", p__type="AUTO", p__test="5")

    assert changed.test_values == {"p": 5}
    assert changed.tool.parameters[0].param_type == "INTEGER"


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(DefinitionError, match="at most 200 parameters"):
        read(parameter=["", *map(str, range(201))])


def test_value_is_read_anew_when_its_type_changes() -> None:
    row = ParameterDocument(param_name="p", param_type="INTEGER", example=5, allowed_values=[5])
    current = DraftDocument(tool=ToolDocument(parameters=(row,)))
    told: dict[str, Any] = {"p__name": "p", "p__example": "5", "p__allowed_values": "5"}

    same = read(current, parameter=["", "p"], p__type="INTEGER", **told)
    other = read(current, parameter=["", "p"], p__type="STRING", **told)

    assert same.tool.parameters[0].example == 5
    assert other.tool.parameters[0].example == "5"
    assert other.tool.parameters[0].allowed_values == ["5"]
