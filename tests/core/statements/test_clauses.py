"""Optional clauses: what opens and closes one, and the statement that a call's values choose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import StatementError
from core.statement import VARIANT_LIMIT, CompiledStatement, compile_statement, find_parameters
from core.toolspec import Dialect

ITEMS = (
    "SELECT id FROM item WHERE active [[ AND name = :name ]] [[AND id > {{low}} + :low]] LIMIT :n"
)


def words(statement: CompiledStatement) -> str:
    return " ".join(statement.sql.split())


@pytest.mark.parametrize(
    ("values", "sql", "names"),
    [
        pytest.param(
            {"name": "a", "low": 1, "n": 2},
            "SELECT id FROM item WHERE active AND name = $1 AND id > $2 + $2 LIMIT $3",
            ("name", "low", "n"),
            id="all",
        ),
        pytest.param(
            {"name": "a", "low": None, "n": 2},
            "SELECT id FROM item WHERE active AND name = $1 LIMIT $2",
            ("name", "n"),
            id="first",
        ),
        pytest.param(
            {"low": 0, "n": 2},
            "SELECT id FROM item WHERE active AND id > $1 + $1 LIMIT $2",
            ("low", "n"),
            id="second",
        ),
        pytest.param({"n": 2}, "SELECT id FROM item WHERE active LIMIT $1", ("n",), id="none"),
    ],
)
def test_clause_stays_when_its_parameters_have_values(
    values: dict[str, object], sql: str, names: tuple[str, ...]
) -> None:
    chosen = compile_statement(ITEMS).for_values(values)

    assert words(chosen) == sql
    assert chosen.parameter_names == names


def test_clause_of_two_parameters_needs_both() -> None:
    statement = compile_statement("SELECT 1 [[ WHERE :a < :b ]]")

    assert words(statement.for_values({"a": 1, "b": None})) == "SELECT 1"
    assert words(statement.for_values({"a": 1, "b": 2})) == "SELECT 1 WHERE $1 < $2"


@pytest.mark.parametrize("value", [0, "", False, []], ids=repr)
def test_empty_value_is_a_value(value: object) -> None:
    statement = compile_statement("SELECT 1 [[ WHERE :a ]]")

    assert statement.for_values({"a": value}) is statement


def test_clauses_are_told_with_their_names_and_places() -> None:
    found = [
        (clause.names, ITEMS[clause.start : clause.end])
        for clause in compile_statement(ITEMS).clauses
    ]

    assert found == [
        (("name",), "[[ AND name = :name ]]"),
        (("low",), "[[AND id > {{low}} + :low]]"),
    ]


def test_statement_without_clauses_is_its_only_variant() -> None:
    statement = compile_statement("SELECT :a")

    assert statement.clauses == ()
    assert statement.variants() == (statement,)
    assert statement.for_values({"a": None}) is statement


@pytest.mark.parametrize(
    ("count", "variants"), [(1, 2), (2, 4), (3, 5), (12, 14)], ids=["one", "two", "three", "most"]
)
def test_variants_are_all_none_and_each_alone(count: int, variants: int) -> None:
    text = "SELECT 0" + "".join(f" [[ + :p{index} ]]" for index in range(count))

    found = [words(variant) for variant in compile_statement(text).variants()]

    assert found[0] == "SELECT 0" + "".join(f" + ${number + 1}" for number in range(count))
    assert found[1] == "SELECT 0"
    assert found[2:] == ["SELECT 0 + $1"] * (variants - 2)


def test_variant_is_built_once() -> None:
    statement = compile_statement(ITEMS)

    assert statement.for_values({"n": 1}) is statement.for_values({"n": 2})
    assert statement.for_values({"n": 1}) is statement.variants()[1]


def test_more_variants_than_are_remembered_are_right() -> None:
    statement = compile_statement("SELECT 0" + "".join(f"[[ + :p{i} ]]" for i in range(12)))

    for chosen in range(VARIANT_LIMIT * 2):
        names = [f"p{index}" for index in range(12) if chosen >> index & 1]
        assert statement.for_values(dict.fromkeys(names, 1)).parameter_names == tuple(names)


def test_statements_of_one_text_are_equal() -> None:
    assert len({compile_statement(ITEMS), compile_statement(ITEMS)}) == 1


def test_string_that_goes_on_without_a_clause_is_read_as_the_server_reads_it() -> None:
    statement = compile_statement("SELECT E'a' [[ || :x || ]]\n'\\', :y, E'\\''")

    assert statement.parameter_names == ("x", "y")
    assert statement.for_values({"y": 1}).parameter_names == ()


@pytest.mark.parametrize(
    ("mark", "source"),
    [("active", "active"), ("name =", "name ="), ("$1", ":name"), ("LIMIT", "LIMIT"), ("$2", ":n")],
)
def test_position_of_the_server_is_found_in_the_source_of_a_variant(mark: str, source: str) -> None:
    chosen = compile_statement(ITEMS).for_values({"name": 1, "n": 1})

    found = chosen.source_position(chosen.sql.index(mark) + 1)

    assert found == ITEMS.rindex(source)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT ARRAY[[1,2],[3,4]]", id="array"),
        pytest.param("SELECT array --x\n /* y */ [[1]]", id="array_behind_comment"),
        pytest.param("SELECT array[ [[1]], [[2]] ]", id="inside_array"),
        pytest.param("SELECT (ARRAY[[1]])[1][1]", id="subscripts"),
        pytest.param("SELECT '[[ :a ]]', \"[[ :a ]]\", $$[[ :a ]]$$ -- [[ :a ]]", id="quoted"),
    ],
)
def test_array_of_arrays_is_no_clause(text: str) -> None:
    compiled = compile_statement(text)

    assert (compiled.sql, compiled.clauses) == (text, ())


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        pytest.param("SELECT [[1,2],[3,4]]", "SELECT [[1,2],[3,4]]", id="list"),
        pytest.param("SELECT [[1]] [[ , :a ]]", "SELECT [[1]]", id="beside"),
        pytest.param("SELECT 1 [[ , [[:a], [2]] ]]", "SELECT 1", id="inside"),
        pytest.param("SELECT 1 [[ WHERE [1] = [:a]]]", "SELECT 1", id="ends together"),
    ],
)
def test_list_of_lists_of_duckdb_is_no_clause(text: str, sql: str) -> None:
    compiled = compile_statement(text, dialect=Dialect.DUCKDB)

    assert words(compiled.for_values({})) == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        pytest.param("[[ + ARRAY[[:a]] ]]", "+ ARRAY[[$1]]", id="array"),
        pytest.param("[[+ x[y[1]]:: int+:a]]", "+ x[y[1]]:: int+$1", id="subscripts"),
        pytest.param("[[ + x[{{a}}]]]", "+ x[$1]", id="three_brackets"),
        pytest.param("+ ARRAY[([[ :a + ]] 1)]", "+ ARRAY[( $1 + 1)]", id="in_array_in_parentheses"),
        pytest.param("[[ + ']]' -- ]]\n + :a ]]", "+ ']]' -- ]] + $1", id="quoted_end"),
    ],
)
def test_clause_ends_where_its_brackets_balance(text: str, sql: str) -> None:
    assert words(compile_statement("SELECT 0 " + text)) == "SELECT 0 " + sql


def test_words_beside_a_clause_do_not_melt() -> None:
    statement = compile_statement("SELECT a[[,b+:b]]FROM t ORDER BY 1[[,:c]]LIMIT 5")

    assert [words(variant) for variant in statement.variants()[:2]] == [
        "SELECT a ,b+$1 FROM t ORDER BY 1 ,$2 LIMIT 5",
        "SELECT a FROM t ORDER BY 1 LIMIT 5",
    ]


FAULTS = {
    "nested": ("[[ :a [[ :b ]] ]]", "cannot hold another one; close the first", 13),
    "nested_in_parentheses": ("[[ ( [[ :b ]] ) ]]", "cannot hold another one", 12),
    "no_parameter": ("[[ a ]]", "holds no parameter", 7),
    "subscript_of_subscript": ("x[[1]]", "holds no parameter", 8),
    "open": ("[[ :a", "[[ is never closed; an optional clause ends with ]]", 7),
    "half_closed": ("[[ :a ]", "this ] does not close the [[ at 7", 13),
    "parted_end": ("[[ :a ] ]", "this ] does not close the [[ at 7", 13),
    "open_parenthesis": ("[[ (:a ]]", "this ] does not close the ( at 10", 14),
    "stray_parenthesis": ("([[ :a )]]", "this ) does not close the [[ at 8", 14),
    "stray_end": (":a ]]", "this ] closes nothing", 10),
    "thirteen": ("[[:a]]" * 13, "at most 12 optional clauses", 79),
    "semicolon": ("[[ :a ; ]]", "only one statement", 13),
}


@pytest.mark.parametrize(("text", "message", "position"), FAULTS.values(), ids=FAULTS)
def test_fault_of_a_clause_is_named_with_its_place(text: str, message: str, position: int) -> None:
    with pytest.raises(StatementError) as raised:
        compile_statement("SELECT " + text)

    assert message in str(raised.value)
    assert raised.value.position == position


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        pytest.param("[[ SELECT :a ]]", "the statement is empty", 0, id="empty"),
        pytest.param("[[ WITH :a ]] DELETE", "this is DELETE", 14, id="command"),
        pytest.param("SELECT 'k' [[ || :a, ]] :n", "write {{n}}", 24, id="behind_a_value"),
    ],
)
def test_fault_that_shows_without_a_clause_is_found(text: str, message: str, position: int) -> None:
    statement = compile_statement(text)

    with pytest.raises(StatementError) as raised:
        statement.variants()

    assert message in str(raised.value)
    assert raised.value.position == position


def test_command_in_a_clause_is_refused() -> None:
    with pytest.raises(StatementError, match="this is DELETE"):
        compile_statement("[[ DELETE FROM t WHERE a = :a ]]")


def test_parameters_of_a_clause_are_found_while_it_is_typed() -> None:
    assert find_parameters("SELECT :a [[ AND b = :b AND c = :c") == ["a", "b", "c"]


def test_quoted_name_of_sqlite_ends_before_its_clause() -> None:
    statement = compile_statement(
        "SELECT 1 FROM t WHERE [[ [a b] = :a AND x = [c]]] AND 1", dialect=Dialect.SQLITE
    )

    assert words(statement) == "SELECT 1 FROM t WHERE [a b] = $1 AND x = [c] AND 1"
    assert words(statement.variants()[1]) == "SELECT 1 FROM t WHERE AND 1"


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.booleans()), max_size=6), st.data())
def test_variant_is_what_its_text_without_the_clauses_compiles_to(
    parts: list[tuple[str, bool]], data: st.DataObject
) -> None:
    values = {name: data.draw(st.sampled_from([1, None])) for name in "abc"}
    source, wanted = "SELECT 0", "SELECT 0"
    for name, is_optional in parts:
        source += f" [[ + :{name} ]]" if is_optional else f" + :{name}"
        wanted += f" + :{name}" if values[name] is not None or not is_optional else ""

    chosen, plain = compile_statement(source).for_values(values), compile_statement(wanted)

    assert words(chosen) == plain.sql
    assert chosen.parameter_names == plain.parameter_names
    for use in chosen.placeholders:
        assert source[use.start : use.end] == f":{use.name}"
