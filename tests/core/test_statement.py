"""Behaviour of the SQL lexer: what is bound, what is left alone, what is refused."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StatementError
from core.statement import compile_statement, find_parameters
from core.statements.lexer import fold
from tests.core.work import count_calls

EXAMPLE_STATEMENT = """
    SELECT u.user_nm, l.max_count
    FROM h_user u
    JOIN h_mcp_tool_limit l ON u.uid = l.target_id
    WHERE u.user_nm = :user_name AND l.target_type = 'USER'
"""


def test_colon_name_is_bound_and_never_substituted() -> None:
    compiled = compile_statement(EXAMPLE_STATEMENT)

    assert compiled.sql == EXAMPLE_STATEMENT.replace(":user_name", "$1")
    assert compiled.parameter_names == ("user_name",)


def test_name_used_twice_is_one_parameter() -> None:
    compiled = compile_statement("SELECT :a, {{b}}, {{ a }}")

    assert compiled.sql == "SELECT $1, $2, $1"
    assert compiled.parameter_names == ("a", "b")
    assert [(use.name, use.start, use.end) for use in compiled.placeholders] == [
        ("a", 7, 9),
        ("b", 11, 16),
        ("a", 18, 25),
    ]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        pytest.param("SELECT :이름", "SELECT $1", id="korean"),
        pytest.param("SELECT {{商品名}}", "SELECT $1", id="japanese"),
        pytest.param("SELECT 1 LIMIT:n", "SELECT 1 LIMIT $1", id="glued_keyword"),
        pytest.param("SELECT :day::date", "SELECT $1::date", id="cast"),
        pytest.param("SELECT -:n", "SELECT -$1", id="sign"),
        pytest.param("SELECT ARRAY[:a,[:b]]", "SELECT ARRAY[$1,[$2]]", id="array_values"),
        pytest.param("SELECT items[(:n)]", "SELECT items[($1)]", id="parenthesis_in_subscript"),
        pytest.param("SELECT items[{{n}}]", "SELECT items[$1]", id="template_in_subscript"),
        pytest.param("SELECT items[1:{{n}}]", "SELECT items[1:$1]", id="template_in_slice"),
        pytest.param("SELECT data ->:key", "SELECT data ->$1", id="after_operator"),
        pytest.param("SELECT f(a => :x)", "SELECT f(a => $1)", id="named_argument"),
        pytest.param("SELECT json_object('a': :x)", "SELECT json_object('a': $1)", id="json_key"),
        pytest.param("SELECT a$b$, :x", "SELECT a$b$, $1", id="dollar_in_name"),
        pytest.param("SELECT :x;  -- done\n", "SELECT $1  -- done\n", id="last_semicolon"),
        pytest.param("SELECT E'\\'', :x", "SELECT E'\\'', $1", id="after_escape_string"),
        pytest.param("SELECT 'a\\', :x", "SELECT 'a\\', $1", id="backslash_is_plain"),
        pytest.param("SELECT /* /* */ */ :x", "SELECT /* /* */ */ $1", id="after_nested_comment"),
        pytest.param("SELECT 1 +--:y\n:x", "SELECT 1 +--:y\n$1", id="comment_ends_operator"),
    ],
)
def test_parameter_is_found_where_a_value_may_stand(text: str, sql: str) -> None:
    assert compile_statement(text).sql == sql


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT ':name'", id="string"),
        pytest.param("SELECT 'it''s :name'", id="doubled_quote"),
        pytest.param("SELECT E'\\':name'", id="escape_string"),
        pytest.param("SELECT E'a'\n  'b\\' :name'", id="continued_escape_string"),
        pytest.param("SELECT E'a' -- b\n 'c\\' :name'", id="continued_behind_comment"),
        pytest.param("SELECT B':n', X':n', N':n', U&':n'", id="prefixed_strings"),
        pytest.param("SELECT $$ :name ' $$", id="dollar_quotes"),
        pytest.param("SELECT $t$ :name $$ $t$", id="tagged_dollar_quotes"),
        pytest.param("SELECT $글$ :name $글$", id="korean_tag"),
        pytest.param('SELECT ":name"":n"', id="quoted_name"),
        pytest.param("SELECT 1 -- :name {{name}} '", id="line_comment"),
        pytest.param("SELECT 1 /* :name /* {{n}} */ ' */", id="nested_comment"),
        pytest.param("SELECT '1'::int", id="cast"),
        pytest.param("SELECT f(a := 1)", id="named_argument"),
        pytest.param("SELECT a[1:2], a[:2], a[2:], a[:]", id="slices"),
        pytest.param("SELECT a[1: n], a[: n]", id="slice_of_a_column"),
        pytest.param("SELECT a->'b'->>'c', a#>'{}', a@>b, a?'b', a?|b, a@?'$', a@@b", id="json"),
        pytest.param("SELECT 7 % 2, 'a' LIKE '%b'", id="percent"),
        pytest.param("SELECT json_object('a':'b')", id="json_separator"),
        pytest.param("SELECT 1_000, 0x1F, 1.5e10, .5", id="numbers"),
        pytest.param("SELECT nameE':n'", id="prefix_is_the_end_of_a_name"),
    ],
)
def test_text_without_parameters_is_left_alone(text: str) -> None:
    compiled = compile_statement(text)

    assert compiled.sql == text
    assert compiled.parameter_names == ()


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        pytest.param("", "the statement is empty", 0, id="empty"),
        pytest.param(" -- nothing\n", "the statement is empty", 0, id="comment_only"),
        pytest.param(";", "the statement is empty", 0, id="semicolon_only"),
        pytest.param("SELECT \0", "NUL", 7, id="nul"),
        pytest.param("SELECT '\ud800'", "half a character", 8, id="surrogate"),
        pytest.param("SELECT 'a", "string is never closed", 7, id="open_string"),
        pytest.param("SELECT E'a\\'", "string is never closed", 7, id="open_escape_string"),
        pytest.param("SELECT E'a'\n'b\\'", "string is never closed", 7, id="open_continuation"),
        pytest.param('SELECT "a', "quoted name is never closed", 7, id="open_name"),
        pytest.param("SELECT $$a", "dollar-quoted string is never", 7, id="open_dollar"),
        pytest.param("SELECT $a$ $b$", "dollar-quoted string is never", 7, id="wrong_dollar_tag"),
        pytest.param("SELECT /* /* */", "comment is never closed", 7, id="open_comment"),
        pytest.param("SELECT (1", "this ( is never closed", 7, id="open_parenthesis"),
        pytest.param("SELECT 1)", "this ) closes nothing", 8, id="stray_parenthesis"),
        pytest.param("SELECT (1]", "this ] does not close the (", 9, id="crossed_brackets"),
        pytest.param("SELECT $1", "numbered parameters", 7, id="numbered"),
        pytest.param("SELECT $", "a $ means nothing", 7, id="stray_dollar"),
        pytest.param('SELECT U&"a"', 'U&"..." names', 7, id="unicode_name"),
        pytest.param("SELECT 1; SELECT 2", "only one statement", 8, id="two_statements"),
        pytest.param("SELECT 1;;", "only one statement", 8, id="two_semicolons"),
        pytest.param("SELECT (1;)", "only one statement", 9, id="semicolon_inside"),
        pytest.param("SELECT :'name'", "write :name without quotes", 7, id="psql_string"),
        pytest.param('SELECT :"name"', "write :name without quotes", 7, id="psql_name"),
        pytest.param("SELECT '{{name}}'", "remove the quotes", 8, id="template_in_string"),
        pytest.param("SELECT $${{name}}$$", "remove the quotes", 9, id="template_in_dollar"),
        pytest.param('SELECT "{{name}}"', "only values can be parameters", 8, id="template_name"),
        pytest.param("SELECT x_{{name}}", "glued to a name", 9, id="template_glued_before"),
        pytest.param("SELECT {{name}}5", "glued to a name", 7, id="template_glued_behind"),
        pytest.param("SELECT {% if %}", "templates are not supported", 7, id="jinja"),
        pytest.param(
            "SELECT :a$b", "a parameter name ends before '$'", 9, id="dollar_in_parameter"
        ),
        pytest.param("SELECT :a\u3000", "put a space between", 9, id="ideographic_space"),
        pytest.param("SELECT a[:n]", "write {{n}} for the parameter", 9, id="subscript"),
        pytest.param("SELECT a[1:n]", "write {{n}} for the parameter", 10, id="slice"),
        pytest.param("SELECT t.array[:n]", "write {{n}}", 15, id="column_named_array"),
        pytest.param("SELECT f('k':n)", "write {{n}} for the parameter", 12, id="behind_a_value"),
        pytest.param("DELETE FROM t", "this is DELETE", 0, id="delete"),
        pytest.param("/* a */ insert into t", "this is INSERT", 8, id="lower_case_insert"),
        pytest.param("DO $$ x $$", "this is DO", 0, id="do"),
        pytest.param("COMMIT;", "this is COMMIT", 0, id="commit"),
        pytest.param("SELECT '" + "a" * 100_000 + "'", "the limit is 100,000", None, id="long"),
    ],
)
def test_fault_is_named_with_its_place(text: str, message: str, position: int | None) -> None:
    with pytest.raises(StatementError) as raised:
        compile_statement(text)

    assert message in str(raised.value)
    assert raised.value.position == position


@pytest.mark.parametrize(
    "text", ["SELECT 1", "with a as (select 1) table a", "VALUES (1)", "(TABLE t)", "mystery"]
)
def test_what_may_be_a_query_is_left_to_the_server(text: str) -> None:
    assert compile_statement(text).sql == text


def test_kelvin_sign_is_no_k() -> None:
    assert fold("LOC\u212a") == "loc\u212a"


def test_position_of_the_server_is_found_in_the_source() -> None:
    text = "SELECT {{long_name}}, x, LIMIT:n, y; -- z"
    compiled = compile_statement(text)

    for mark in ("$1", "x", "y", "z", "$2"):
        source = {"$1": "{{long_name}}", "$2": ":n"}.get(mark, mark)
        found = compiled.source_position(compiled.sql.index(mark) + 1)
        assert found == text.index(source), mark


def test_position_before_and_behind_the_text_is_answered() -> None:
    compiled = compile_statement("SELECT :a")

    assert compiled.source_position(0) == 0
    assert compiled.source_position(len(compiled.sql) + 1) == len("SELECT :a")


def test_names_are_found_in_order_of_first_appearance() -> None:
    assert find_parameters("SELECT :b, {{a}}, :b, ':c'") == ["b", "a"]


def test_names_are_found_up_to_the_first_fault() -> None:
    assert find_parameters("SELECT :a FROM t WHERE b = :b AND c = 'half") == ["a", "b"]


def test_compatible_forms_of_a_name_are_one_name() -> None:
    assert find_parameters("SELECT :ｎａｍｅ, :name") == ["name"]


@pytest.mark.parametrize(
    ("piece", "times"),
    [("-", 49_000), ("/*", 20_000), ("E'a'\n", 9_500), ("{{a", 15_000), ("$a", 22_000)],
)
def test_hostile_text_of_twice_the_length_is_twice_the_work(piece: str, times: int) -> None:
    text = piece * times

    short = count_calls(lambda: find_parameters(text))
    long = count_calls(lambda: find_parameters(text * 2))

    assert long <= 2 * short


QUIET = [
    *("SELECT", "FROM", "x", "é", "이름", "1", "1.5", "::", ":=", "->>", "@>", "?|", "%", ".", ","),
    *(
        "'a'",
        "''':x'''",
        "E'\\':x'",
        "$$ :x $$",
        "$q$ $$ :x $q$",
        '":x"',
        "--:x\n",
        "/* :x /**/ */",
    ),
    *("(1)", "a[1:2]", "ARRAY[1]", "\n", "-", "*", "<=", "N'x'", "U&'\\0041'"),
]
quiet_texts = st.lists(st.sampled_from(QUIET), min_size=1).map(
    lambda parts: "TABLE " + " ".join(parts)
)


@given(quiet_texts)
def test_any_text_without_parameters_compiles_to_itself(text: str) -> None:
    assert compile_statement(text).sql == text


@given(st.lists(st.tuples(quiet_texts, st.sampled_from(["a", "b", "이름"]), st.booleans())))
def test_every_parameter_becomes_its_number_and_nothing_else_changes(
    parts: list[tuple[str, str, bool]],
) -> None:
    names = list(dict.fromkeys(name for _, name, _ in parts))
    source = "SELECT 1"
    wanted = "SELECT 1"
    for quiet, name, is_template in parts:
        source += f" {quiet} = " + (f"{{{{{name}}}}}" if is_template else f":{name}")
        wanted += f" {quiet} = ${names.index(name) + 1}"

    compiled = compile_statement(source)

    assert compiled.sql == wanted
    assert compiled.parameter_names == tuple(names)
    assert len(compiled.placeholders) == len(parts)


@given(st.text(alphabet="SELECT'\"$-/*:;{}[]()aE\\ \n.1"))
def test_any_text_is_compiled_or_refused_with_a_place_inside(text: str) -> None:
    try:
        compiled = compile_statement(text)
    except StatementError as error:
        refused = error
    else:
        places = [compiled.source_position(place) for place in range(1, len(compiled.sql) + 2)]
        assert all(before <= behind for before, behind in pairwise(places))
        return
    assert 0 <= (refused.position or 0) <= len(text)
