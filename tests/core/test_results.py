"""Results: exact limits, and what each format makes of the same rows."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import validate  # type: ignore[import-untyped]

from core.formatting import distinct_names
from core.json_text import encode_json
from core.results import (
    QueryResult,
    Row,
    RowCollector,
    output_schema,
    query_answer,
    structured_content,
    structured_json,
    text_content,
    value_answer,
    value_content,
)
from core.toolspec import ExpressionLogic, ResultFormat, SqlLogic, ToolSpec


def result_of(columns: list[str], *rows: list[Any], **fields: Any) -> QueryResult:
    return QueryResult(columns=tuple(columns), rows=list(map(tuple, rows)), **fields)


def text_of(result: QueryResult, result_format: ResultFormat) -> str:
    [text] = text_content(result, result_format)
    return text


SHOPS = result_of(["id", "name"], [1, "서울"], [2, None], applied_limit=10, elapsed_ms=1.23456)
CUT = result_of(["id"], [1], [2], truncated=True, applied_limit=2)
FIRST_ROWS = "(truncated: the first 2 rows are shown; narrow the query)"


def test_structured_content_holds_the_rows_and_what_limited_them() -> None:
    assert structured_content(SHOPS) == {
        "columns": ["id", "name"],
        "rows": [(1, "서울"), (2, None)],
        "row_count": 2,
        "truncated": False,
        "applied_limit": 10,
        "elapsed_ms": 1.235,
    }


def test_structured_content_may_leave_the_rows_to_the_text() -> None:
    assert "rows" not in structured_content(SHOPS, include_rows=False)


def test_truncation_is_said_in_words() -> None:
    assert structured_content(CUT)["notes"] == [
        "The first 2 rows are shown; narrow the query.",
    ]


@given(
    st.lists(
        st.lists(st.lists(st.text(max_size=9), min_size=1, max_size=3).map(tuple), max_size=4),
        max_size=4,
    ),
    st.integers(0, 8),
    st.integers(2, 120),
)
def test_rows_added_together_are_those_added_one_by_one(
    chunks: list[list[Row]], row_limit: int, byte_limit: int
) -> None:
    together, singly = (RowCollector(row_limit, byte_limit) for _ in range(2))

    for chunk in chunks:
        together.add_all(chunk)
        for row in chunk:
            singly.add(row)

    assert (together.rows, together.truncated) == (singly.rows, singly.truncated)
    assert together.notes == singly.notes
    assert not together.rows or len(encode_json(together.rows)) <= byte_limit


def test_json_text_has_one_object_per_row() -> None:
    assert text_of(SHOPS, ResultFormat.JSON) == '[{"id":1,"name":"서울"},{"id":2,"name":null}]'


def test_json_text_keeps_columns_of_the_same_name_apart() -> None:
    result = result_of(["n", "n_2", "n", "n"], [1, 2, 3, 4])

    assert json.loads(text_of(result, ResultFormat.JSON)) == [
        {"n": 1, "n_2": 2, "n_3": 3, "n_4": 4}
    ]


def test_truncated_json_stays_pure_and_the_notice_follows_it() -> None:
    body, notice = text_content(CUT, ResultFormat.JSON)

    assert len(json.loads(body)) == 2
    assert notice == "(truncated: the first 2 rows are shown; narrow the query)"


def test_text_has_one_block_per_row() -> None:
    text = text_of(SHOPS, ResultFormat.TEXT)

    assert text == "id: 1\nname: 서울\n\nid: 2\nname: null"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param("two\nlines", "two\nlines", id="text"),
        pytest.param(1.5, "1.5", id="number"),
        pytest.param(True, "true", id="bool"),
        pytest.param(None, "null", id="null"),
        pytest.param({"키": [1]}, '{"키":[1]}', id="object"),
    ],
)
def test_text_of_a_single_cell_is_its_value(cell: Any, expected: str) -> None:
    assert text_of(result_of(["n"], [cell]), ResultFormat.TEXT) == expected


def test_lines_of_a_value_cannot_be_taken_for_columns() -> None:
    result = result_of(["a", "b"], ["x\nb: forged\u2028c: too", 1])

    assert text_of(result, ResultFormat.TEXT) == "a: x\n  b: forged\n  c: too\nb: 1"


@pytest.mark.parametrize("result_format", [ResultFormat.TEXT, ResultFormat.MARKDOWN])
def test_text_ends_with_the_truncation_notice(result_format: ResultFormat) -> None:
    assert text_of(CUT, result_format).endswith(f"\n\n{FIRST_ROWS}")


def test_csv_notice_is_a_text_of_its_own() -> None:
    assert text_content(CUT, ResultFormat.CSV) == ["id\r\n1\r\n2\r\n", FIRST_ROWS]


def test_notes_follow_the_truncation() -> None:
    note = '1 cell of "id" was cut to 9 characters.'
    result = result_of(["id"], [1], truncated=True, applied_limit=1, notes=(note,))

    assert text_of(result, ResultFormat.TEXT).split("\n")[-2:] == [
        "(truncated: the first row is shown; narrow the query)",
        '(note: 1 cell of "id" was cut to 9 characters)',
    ]


def test_cut_cells_alone_are_not_called_missing_rows() -> None:
    note = '1 cell of "id" was cut to 9 characters.'
    result = result_of(["id"], [1], truncated=True, applied_limit=10, notes=(note,))

    assert structured_content(result)["notes"] == [note]


def test_result_without_rows_says_so() -> None:
    assert text_of(result_of(["id"]), ResultFormat.TEXT) == "(no rows)"
    assert text_of(result_of(["id"]), ResultFormat.JSON) == "[]"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", id="equals"),
        pytest.param("+1+cmd", "'+1+cmd", id="plus"),
        pytest.param("-1+cmd", "'-1+cmd", id="minus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at"),
        pytest.param("\t=1", "'\t=1", id="tab"),
        pytest.param("\r=1", "'\r=1", id="carriage return"),
        pytest.param("＝1", "'＝1", id="full-width"),
        pytest.param("-1234567890123456789.5", "-1234567890123456789.5", id="digits as text"),
        pytest.param(-5, "-5", id="negative number"),
        pytest.param(-1e-7, "-1e-7", id="negative fraction"),
        pytest.param(False, "false", id="bool"),
        pytest.param('a "quoted",\r\nfield', 'a "quoted",\r\nfield', id="quotes"),
    ],
)
def test_csv_cell_is_read_back_and_is_no_formula(cell: Any, expected: str) -> None:
    text = text_of(result_of(["a", "a"], [cell, None]), ResultFormat.CSV)

    rows = list(csv.reader(StringIO(text, newline="")))
    assert rows == [["a", "a"], [expected, ""]]


def test_csv_header_is_no_formula() -> None:
    assert text_of(result_of(["=1+1"]), ResultFormat.CSV) == "'=1+1\r\n"


def test_markdown_escapes_what_would_leave_the_table() -> None:
    result = result_of(["a|b"], ["x|`<b>`\r\n![](http://a)\\"])

    assert text_of(result, ResultFormat.MARKDOWN).split("\n") == [
        r"| a\|b |",
        "| --- |",
        r"| x\|\`\<b>\`<br>!\[\](http://a)\\ |",
    ]


@pytest.mark.parametrize(
    ("given_rows", "truncated"),
    [pytest.param(3, False, id="as many as the limit"), pytest.param(4, True, id="one more")],
)
def test_row_after_the_limit_only_proves_truncation(given_rows: int, truncated: bool) -> None:
    collector = RowCollector(row_limit=3, byte_limit=1_000)

    taken = [collector.add((number,)) for number in range(given_rows)]

    assert taken == [True, True, True, False][:given_rows]
    assert collector.finish(["n"], 0.0) == result_of(
        *(["n"], [0], [1], [2]),
        truncated=truncated,
        applied_limit=3,
        rows_json=b"[[0],[1],[2]]",
    )


@pytest.mark.parametrize(
    ("byte_limit", "row_count"),
    [
        pytest.param(len('[["가"],["b"]]'.encode()), 2, id="exactly"),
        pytest.param(len('[["가"],["b"]]'.encode()) - 1, 1, id="one byte less"),
    ],
)
def test_byte_limit_is_exact(byte_limit: int, row_count: int) -> None:
    collector = RowCollector(row_limit=10, byte_limit=byte_limit)

    for row in (("가",), ("b",)):
        collector.add(row)

    assert len(collector.rows) == row_count
    assert collector.truncated is (row_count < 2)


def test_first_row_over_the_byte_limit_leaves_none_and_says_so() -> None:
    collector = RowCollector(row_limit=10, byte_limit=20)

    assert not collector.add(("x" * 50,))
    assert not collector.add((1,))

    result = collector.finish(["a"], 0.0)
    assert result.rows == []
    assert result.notes == (
        "No row is shown; the first alone passes the limit of 20 bytes;"
        " select fewer columns or narrow the query.",
    )


def test_notes_of_the_caller_follow_those_of_the_collector() -> None:
    collector = RowCollector(row_limit=10, byte_limit=10)
    for _ in range(5):
        collector.add((1,))

    notes = collector.finish(["a"], 0.0, ["Two cells were null."]).notes

    assert notes[0].startswith("The first 2 rows are shown; more would pass the limit of 10 bytes")
    assert notes[1] == "Two cells were null."


CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)


@settings(max_examples=200, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS)), byte_limit=st.integers(1, 300))
def test_rows_never_pass_the_byte_limit(rows: list[Row], byte_limit: int) -> None:
    collector = RowCollector(row_limit=100, byte_limit=byte_limit)

    for row in rows:
        collector.add(row)

    kept = len(collector.rows)
    assert collector.rows == rows[:kept]
    assert kept == 0 or len(encode_json(collector.rows)) <= byte_limit
    assert kept == len(rows) or len(encode_json(rows[: kept + 1])) > byte_limit or kept == 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(15, "15", id="int"),
        pytest.param(1.5, "1.5", id="float"),
        pytest.param("서울\n2", "서울\n2", id="text"),
        pytest.param(None, "null", id="null"),
        pytest.param(True, "true", id="bool"),
        pytest.param(10**30, "1" + "0" * 30, id="beyond 64 bits"),
        pytest.param([1, "가", None], '[1,"가",null]', id="list"),
        pytest.param({"a": {"b": 1}}, '{"a":{"b":1}}', id="object"),
    ],
)
def test_value_is_given_plainly(value: Any, text: str) -> None:
    assert value_content(value) == ({"result": value}, text)


def test_broken_characters_never_reach_the_wire() -> None:
    structured, text = value_content(["\ud800", float("nan"), 10**30])

    assert structured == {"result": ["\ufffd", None, 10**30]}
    assert text == '["\ufffd",null,' + str(10**30) + "]"
    assert encode_json({"a": "\ud800", "b": [float("inf")]}) == '{"a":"\ufffd","b":[null]}'.encode()


@pytest.mark.parametrize("result_format", list(ResultFormat))
def test_query_answer_fits_its_output_schema(result_format: ResultFormat) -> None:
    spec = ToolSpec(id=1, name="shops", logic=SqlLogic("SELECT 1"))

    answer = query_answer(SHOPS, result_format)

    validate(json.loads(encode_json(answer.structured)), output_schema(spec))
    assert ("rows" in answer.structured) is (result_format is ResultFormat.JSON)
    assert (answer.row_count, answer.truncated) == (2, False)


@pytest.mark.parametrize("value", [None, 5, "a", [1], {"a": 1}], ids=repr)
def test_value_answer_fits_its_output_schema(value: Any) -> None:
    spec = ToolSpec(id=1, name="sum", logic=ExpressionLogic("1 + 1"))

    answer = value_answer(value)

    validate(answer.structured, output_schema(spec))
    assert answer.row_count is None


NAMES = st.text(max_size=4) | st.sampled_from(["a", "a_2", 'say "x"', "\\", "\ud800"])
VALUES = (
    CELLS | st.lists(CELLS, max_size=2) | st.dictionaries(st.text(max_size=2), CELLS, max_size=2)
)


@settings(max_examples=100, deadline=None)
@given(
    names=st.lists(NAMES, min_size=2, max_size=2),
    rows=st.lists(st.tuples(VALUES, VALUES), max_size=4),
)
def test_rows_that_are_encoded_once_are_the_same_bytes_as_those_encoded_again(
    names: list[str], rows: list[Row]
) -> None:
    collector = RowCollector(row_limit=100, byte_limit=1_000_000)
    assert all(map(collector.add, rows[:1]))
    assert collector.add_all(rows[1:])

    answer = query_answer(collector.finish(names, 1.5), ResultFormat.JSON)

    records = [dict(zip(distinct_names(names), row, strict=True)) for row in rows]
    assert structured_json(answer) == encode_json(answer.structured)
    assert answer.texts[0].encode() == encode_json(records)


@pytest.mark.parametrize(
    "value",
    [1e16, 1.5e300, -1e22, 1e-7, 5e-324, -0.0, 0.1, 123456789012345.6, float("nan"), 2**63, 10**30],
)
def test_number_is_written_alike_in_text_and_structured_content(value: float) -> None:
    collector = RowCollector(row_limit=10, byte_limit=1_000)
    collector.add_all([(value, "e")])

    answer = query_answer(collector.finish(["n", "t"], 0.0), ResultFormat.JSON)

    number = encode_json(value).decode()
    assert answer.texts[0] == f'[{{"n":{number},"t":"e"}}]'
    assert f'"rows":[[{number},"e"]]' in structured_json(answer).decode()


def test_structured_content_of_other_answers_is_encoded_as_it_is() -> None:
    assert structured_json(value_answer({"a": 10**30})) == b'{"result":{"a":%d}}' % 10**30
    assert b'"rows"' not in structured_json(query_answer(SHOPS, ResultFormat.CSV))
