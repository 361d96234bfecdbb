"""Behaviour of the lexer of SQLite statements: what is bound, what is left alone, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StatementError
from core.statement import compile_statement, find_parameters
from core.toolspec import Dialect


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        pytest.param("SELECT :a, {{b}}, :a", "SELECT $1, $2, $1", id="twice"),
        pytest.param("SELECT :이름", "SELECT $1", id="korean"),
        pytest.param("SELECT 1 LIMIT:n", "SELECT 1 LIMIT $1", id="glued_keyword"),
        pytest.param("SELECT data->>:key", "SELECT data->>$1", id="json_operator"),
        pytest.param("SELECT /* /* */ :x", "SELECT /* /* */ $1", id="comments_do_not_nest"),
        pytest.param("SELECT /*/ :y */ :x", "SELECT /*/ :y */ $1", id="short_comment"),
        pytest.param("SELECT 1 --\r:y\n, :x", "SELECT 1 --\r:y\n, $1", id="line_comment"),
        pytest.param("SELECT e, 'a\\', :x", "SELECT e, 'a\\', $1", id="backslash_is_plain"),
        pytest.param("SELECT x'00', :x;", "SELECT x'00', $1", id="blob_and_semicolon"),
        pytest.param("SELECT [a:b], `c``:d`, :x", "SELECT [a:b], `c``:d`, $1", id="quoted_names"),
        pytest.param("SELECT CAST(:x AS INT)", "SELECT CAST($1 AS INT)", id="cast"),
    ],
)
def test_parameter_becomes_its_number(text: str, sql: str) -> None:
    assert compile_statement(text, dialect=Dialect.SQLITE).sql == sql


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        pytest.param("SELECT ?", "write :name", 7, id="question_mark"),
        pytest.param("SELECT ?1", "write :name", 7, id="numbered"),
        pytest.param("SELECT :1", "write :name", 7, id="colon_number"),
        pytest.param("SELECT @a", "write :name", 7, id="at"),
        pytest.param("SELECT $a", "write :name", 7, id="dollar"),
        pytest.param("SELECT #a", "write :name", 7, id="hash"),
        pytest.param("SELECT :'a'", "without quotes", 7, id="quoted_parameter"),
        pytest.param("SELECT 1::int", "CAST(value AS type)", 8, id="cast"),
        pytest.param("SELECT : n", "a colon means nothing", 7, id="colon"),
        pytest.param("SELECT 'k':n", "put an operator or a comma", 10, id="behind_string"),
        pytest.param("SELECT {{a}}{{b}}", "put an operator or a comma", 12, id="two_templates"),
        pytest.param("SELECT :a (1)", "which no ( can follow", 10, id="called_parameter"),
        pytest.param("SELECT 'a", "string is never closed", 7, id="open_string"),
        pytest.param("SELECT x'a", "string is never closed", 7, id="open_blob"),
        pytest.param('SELECT "a', "quoted name is never closed", 7, id="open_name"),
        pytest.param("SELECT `a", "quoted name is never closed", 7, id="open_backtick"),
        pytest.param("SELECT [a", "quoted name is never closed", 7, id="open_bracket"),
        pytest.param("SELECT 1 /* a", "comment is never closed", 9, id="open_comment"),
        pytest.param("SELECT 1 /*/", "comment is never closed", 9, id="short_comment"),
        pytest.param("SELECT \ufeffabs(1)", "invisible character (U+FEFF)", 7, id="byte_order"),
        pytest.param("SELECT '{{a}}'", "remove the quotes", 8, id="template_in_string"),
        pytest.param("SELECT [{{a}}]", "only values can be", 8, id="template_in_name"),
        pytest.param("SELECT 1; SELECT 2", "only one statement", 8, id="two_statements"),
        pytest.param("PRAGMA query_only", "SELECT, WITH, VALUES) can be", 0, id="pragma"),
        pytest.param("/* a */ attach 'b' AS c", "this is ATTACH", 8, id="attach"),
        pytest.param("REPLACE INTO t VALUES (1)", "this is REPLACE", 0, id="replace"),
    ],
)
def test_fault_is_named_with_its_place(text: str, message: str, position: int) -> None:
    with pytest.raises(StatementError) as raised:
        compile_statement(text, dialect=Dialect.SQLITE)

    assert message in str(raised.value)
    assert raised.value.position == position


def test_dialects_read_one_text_each_in_its_own_way() -> None:
    text = "SELECT $$ :a $$"

    assert find_parameters(text) == []
    assert find_parameters("SELECT `:a, :b`", Dialect.SQLITE) == []
    assert find_parameters("SELECT `:a, :b`") == ["a", "b"]


@given(st.text(alphabet="SELECT'\"`[]-/*:;{}()axX\\ \n.1?$@\ufeff"))
def test_any_text_is_compiled_or_refused_with_a_place_inside(text: str) -> None:
    try:
        compiled = compile_statement(text, dialect=Dialect.SQLITE)
    except StatementError as error:
        place = error.position or 0
    else:
        place = compiled.source_position(len(compiled.sql) + 1)

    assert 0 <= place <= len(text)
