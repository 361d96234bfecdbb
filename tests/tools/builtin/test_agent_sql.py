"""SQL in the dress in which agents send it."""

import pytest

from tools.builtin.postgres_query import find_readings, separate_colons

NBSP = "\u00a0"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```sql\nSELECT 1\n```", id="fence"),
        pytest.param("```\nSELECT 1\n```", id="fence without a language"),
        pytest.param("\n```PostgreSQL\r\nSELECT 1\r\n```\n", id="fence of another system"),
        pytest.param("```sql SELECT 1```", id="fence on one line"),
        pytest.param("```SELECT 1```", id="fence around the statement alone"),
        pytest.param("```sql\nSELECT 1", id="fence that is never closed"),
    ],
)
def test_fences_are_taken_off(text: str) -> None:
    assert find_readings(text) == ["SELECT 1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(" SELECT 1 ;\n", " SELECT 1 ;\n", id="ASCII stays as it is"),
        pytest.param(f"SELECT{NBSP}1", "SELECT 1", id="no-break space"),
        pytest.param("SELECT 1 AS n；\n", "SELECT 1 AS n;\n", id="wide semicolon at the end"),
        pytest.param("SELECT\u3000\u2003\u202f1", "SELECT   1", id="wide and narrow spaces"),
        pytest.param("\ufeffSELECT\u200b 1", "SELECT 1", id="invisible characters"),
        pytest.param(f"SELECT 'a{NBSP}b'", f"SELECT 'a{NBSP}b'", id="text"),
        pytest.param(f"SELECT 'it''s{NBSP}b'", f"SELECT 'it''s{NBSP}b'", id="text with a quote"),
        pytest.param(f"SELECT E'\\'{NBSP}'", f"SELECT E'\\'{NBSP}'", id="escaped text"),
        pytest.param(f'SELECT "a{NBSP}b"', f'SELECT "a{NBSP}b"', id="quoted name"),
        pytest.param(f"SELECT $$a{NBSP}b$$", f"SELECT $$a{NBSP}b$$", id="dollar text"),
        pytest.param(f"SELECT $t$a{NBSP}$$b$t$", f"SELECT $t$a{NBSP}$$b$t$", id="tagged text"),
        pytest.param(f"SELECT '가'{NBSP}AS x", "SELECT '가' AS x", id="after a text"),
        pytest.param(f"SELECT 1{NBSP}- 1{NBSP}/ 1", "SELECT 1 - 1 / 1", id="beside operators"),
    ],
)
def test_blanks_of_other_keyboards_become_spaces_outside_of_texts(text: str, expected: str) -> None:
    assert find_readings(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("SELECT COUNT（＊）", "SELECT COUNT(*)", id="signs"),
        pytest.param("ＳＥＬＥＣＴ １、２", "SELECT 1,2", id="letters, digits, comma"),
        pytest.param("SELECT '（＊）'，1", "SELECT '（＊）',1", id="not in texts"),
    ],
)
def test_wide_signs_are_a_second_reading(text: str, expected: str) -> None:
    as_written, in_ascii = find_readings(text)

    assert as_written == text
    assert in_ascii == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param("SELECT items[1:n]", "SELECT items[1: n]", id="slice"),
        pytest.param("SELECT items[:n]", "SELECT items[: n]", id="slice from the start"),
        pytest.param(
            "SELECT json_object('key':n)", "SELECT json_object('key': n)", id="json_object"
        ),
        pytest.param("SELECT x::text", "SELECT x::text", id="cast"),
        pytest.param("WHERE id = :id OR id=:b", "WHERE id = :id OR id=:b", id="parameters"),
        pytest.param("'HH24:MI' || \"a:b\"", "'HH24:MI' || \"a:b\"", id="in texts and names"),
    ],
)
def test_colons_that_separate_get_a_blank(sql: str, expected: str) -> None:
    assert separate_colons(sql) == expected


@pytest.mark.parametrize("opening", ["/*", "$a$ $b", "'", '"', "```sql", "E'\\", "--\n"])
def test_reading_stays_linear_where_nothing_is_closed(opening: str) -> None:
    text = "é" + opening * 15_000

    assert find_readings(text)
    assert separate_colons(":" + text)
