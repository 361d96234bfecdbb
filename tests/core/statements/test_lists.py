"""Lists that stand alone in IN, for both dialects."""

import pytest

from core.errors import StatementError
from core.statement import compile_statement
from core.toolspec import Dialect

LISTS = frozenset({"ids"})
JSON_LIST = "SELECT value FROM json_each(coalesce($1, '[null]'))"

REWRITTEN = {
    "in": ("x IN (:ids)", "x = ANY ($1)"),
    "not_in": ("x NOT IN (:ids)", "x <> ALL ($1)"),
    "small_letters": ("x not in(:ids)", "x <> ALL($1)"),
    "template": ("x IN ({{ ids }})", "x = ANY ($1)"),
    "line_breaks": ("x NOT\n IN\t( :ids\n)", "x <>\n ALL\t( $1\n)"),
    "comments": (
        "x NOT/* IN (:ids) */IN --(\n(/**/:ids--)\n)",
        "x <>/* IN (:ids) */ALL --(\n(/**/$1--)\n)",
    ),
    "quoted_before": ("\"x\"IN('a'||:ids)", "\"x\"IN('a'||$1)"),
    "twice": ("x IN (:ids) OR y IN (:ids)", "x = ANY ($1) OR y = ANY ($1)"),
    "in_brackets": ("(a[1] IN (:ids))", "(a[1] = ANY ($1))"),
    "clause": ("x [[ + y IN (:ids) ]]", "x    + y = ANY ($1)   "),
}


@pytest.mark.parametrize(("text", "sql"), REWRITTEN.values(), ids=REWRITTEN)
def test_list_alone_is_compared_with_any_or_all(text: str, sql: str) -> None:
    compiled = compile_statement("SELECT " + text, list_names=LISTS)

    assert compiled.sql == "SELECT " + sql
    assert compiled.parameter_names == ("ids",)


@pytest.mark.parametrize("word", ["IN", "NOT IN", "not/* x */in"])
def test_list_alone_is_read_as_json_in_sqlite(word: str) -> None:
    compiled = compile_statement(
        f"SELECT x {word} (:ids)", dialect=Dialect.SQLITE, list_names=LISTS
    )

    assert compiled.sql == f"SELECT x {word} ({JSON_LIST})"


LEFT_ALONE = {
    "any": "x = ANY(:ids)",
    "alone": ":ids",
    "quoted_word": '"in" (:ids)',
    "column": "t.in (:ids)",
    "longer_word": "x_in (:ids)",
    "string": "'IN' (:ids)",
    "comment": "f /* IN */ (:ids)",
    "line_comment": "f -- IN\n (:ids)",
    "subquery": "x IN (SELECT :ids, 1)",
    "values": "x IN (VALUES (:ids), (1))",
    "part_of_a_value": "x IN (f(:ids), 1)",
    "operand": "x IN (1 + :ids, 2)",
    "nested": "x IN ((:ids))",
    "subscript": "x IN (a[{{ids}}], 1)",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_list_elsewhere_is_left_to_the_server(text: str) -> None:
    compiled = compile_statement("SELECT " + text, list_names=LISTS)

    assert compiled.sql == "SELECT " + text.replace("{{ids}}", "$1").replace(":ids", "$1")


def test_single_values_in_a_list_are_left_alone() -> None:
    compiled = compile_statement("SELECT x IN (:a), y NOT IN (:a, :b)", list_names=LISTS)

    assert compiled.sql == "SELECT x IN ($1), y NOT IN ($1, $2)"


@pytest.mark.parametrize("dialect", list(Dialect), ids=str)
@pytest.mark.parametrize(
    ("text", "position"),
    [("x IN (:ids, 5)", 13), ("x NOT IN (5, :ids)", 20), ("x IN (1, {{ids}}, 2)", 16)],
    ids=["first", "last", "middle"],
)
def test_list_beside_other_values_is_refused(dialect: Dialect, text: str, position: int) -> None:
    with pytest.raises(StatementError, match=r"stands alone: write IN \(:ids\)") as raised:
        compile_statement("SELECT " + text, dialect=dialect, list_names=LISTS)

    assert raised.value.position == position


@pytest.mark.parametrize("dialect", list(Dialect), ids=str)
@pytest.mark.parametrize("mark", ["a,", "x ", "b ", "c"])
def test_place_behind_a_list_is_found_in_the_source(dialect: Dialect, mark: str) -> None:
    text = "SELECT a, x NOT IN ({{ids}}), b IN (:ids), c;"
    compiled = compile_statement(text, dialect=dialect, list_names=LISTS)

    found = compiled.source_position(compiled.sql.rindex(mark) + 1)

    assert found == text.rindex(mark)


@pytest.mark.parametrize("dialect", list(Dialect), ids=str)
def test_place_in_a_list_is_found_within_the_parameter(dialect: Dialect) -> None:
    compiled = compile_statement("SELECT x IN (:ids)", dialect=dialect, list_names=LISTS)

    assert 13 <= compiled.source_position(compiled.sql.index("$1") + 1) <= 17


def test_words_of_the_server_point_at_the_authors_words() -> None:
    text = "SELECT x NOT IN (:ids)"
    compiled = compile_statement(text, list_names=LISTS)

    assert compiled.source_position(compiled.sql.index("<>") + 1) == text.index("NOT")
    assert compiled.source_position(compiled.sql.index("ALL") + 1) == text.index("IN")


def test_carriage_return_ends_a_comment_of_postgresql_only() -> None:
    text = "SELECT x -- a\r IN (:ids)\n IN (:ids)"

    found = compile_statement(text, dialect=Dialect.SQLITE, list_names=LISTS)

    assert found.sql == f"SELECT x -- a\r IN (:ids)\n IN ({JSON_LIST})"
    assert "= ANY ($1)\n = ANY ($1)" in compile_statement(text, list_names=LISTS).sql


def test_every_one_of_many_lists_is_read() -> None:
    text = "SELECT " + ",".join(["x IN (:ids)"] * 8_000)

    assert compile_statement(text, list_names=LISTS).sql.count("= ANY ($1)") == 8_000
