"""What a column's values are, and how a number is written."""

import pytest

from core.column_kinds import ColumnKind, exact_text, kind_of
from core.toolspec import JsonValue


@pytest.mark.parametrize(
    ("values", "type_name", "kind"),
    [
        pytest.param([1, None, 2.5], "", ColumnKind.NUMBER, id="numbers"),
        pytest.param([True, False], "", ColumnKind.BOOLEAN, id="booleans are no numbers"),
        pytest.param(["12345678901234567.89"], "numeric(19,2)", ColumnKind.NUMBER, id="digits"),
        pytest.param(["0123"], "text", ColumnKind.TEXT, id="digits of a text"),
        pytest.param(["12"], "interval", ColumnKind.TEXT, id="interval is no int"),
        pytest.param(["a lie"], "INTEGER", ColumnKind.TEXT, id="SQLite's column of any type"),
        pytest.param(["2026-01-31", None], "", ColumnKind.DATE, id="dates"),
        pytest.param(["2026-01-31T10:00:00+09:00"], "", ColumnKind.MOMENT, id="moments"),
        pytest.param(["2026-01-31", "soon"], "", ColumnKind.TEXT, id="not all of them dates"),
        pytest.param(["x", {"a": 1}], "", ColumnKind.JSON, id="an object"),
        pytest.param([None], "bigint", ColumnKind.NUMBER, id="all null, by the type"),
        pytest.param([], "", ColumnKind.TEXT, id="no rows"),
    ],
)
def test_column_is_what_all_its_values_are(
    values: list[JsonValue], type_name: str, kind: ColumnKind
) -> None:
    assert kind_of(values, type_name) is kind


@pytest.mark.parametrize(
    ("value", "type_name", "text"),
    [
        (1500.0, "numeric(10,2)", "1500.00"),
        (448941497.0, "numeric", "448941497.00"),
        (0.1, "double precision", "0.1"),
        (2**60, "bigint", "1152921504606846976"),
    ],
)
def test_number_has_the_digits_of_its_type(value: JsonValue, type_name: str, text: str) -> None:
    assert exact_text(value, type_name) == text
