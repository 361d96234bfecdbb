"""What the editor says of a tool that is being written, by real databases."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog.models import CatalogTable, DataSource
from catalog.sources.settings import SourceSettings, read_sources
from config.services.ports import choose_free_port
from core.analysis import Analysis
from core.toolspec import (
    Dialect,
    ExpressionLogic,
    ParameterSpec,
    ParameterType,
    Presence,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)
from tests.catalog.rows import make_table
from tests.toolbuilder.editing.stock import tool
from toolbuilder.editing.analysis import analyse, find_column_type
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db

ROLE = {"database": "x", "username": "reader"}


def declared(name: str, kind: ParameterType = ParameterType.STRING, **told: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=kind, **told)


def mended(found: Analysis) -> str:
    """The text after the only fix."""
    (fix,) = [one.fix for one in found.diagnostics if one.fix]
    return found.text[: fix.start] + fix.insert + found.text[fix.end :]


def test_good_statement_tells_columns_and_parameters(sources: SourceSettings) -> None:
    text = "SELECT id, price FROM stock_level WHERE region = :region AND day >= :since"

    found = analyse(tool(text, declared("region")), sources, "kim", declares_missing=True)

    assert (found.is_valid, found.kind, found.diagnostics) == (True, "SELECT", ())
    assert [(one.name, one.type) for one in found.columns] == [
        ("id", "integer"),
        ("price", "numeric"),
    ]
    assert [(one.name, one.type, one.is_declared) for one in found.parameters] == [
        ("region", ParameterType.STRING, True),
        ("since", ParameterType.DATE, False),
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param("region IN (:x)", ParameterType.STRING_LIST, id="texts"),
        pytest.param("id NOT IN ( {{ x }} )", ParameterType.INTEGER_LIST, id="whole numbers"),
        pytest.param("price IN (:x)", ParameterType.NUMBER_LIST, id="numbers"),
        pytest.param("day IN (:x)", ParameterType.STRING_LIST, id="dates"),
        pytest.param("(:x IS NULL OR id IN (:x))", ParameterType.INTEGER_LIST, id="or none"),
        pytest.param("true [[ AND id IN (:x) ]]", ParameterType.INTEGER_LIST, id="clause"),
        pytest.param("id IN (:x, 5)", ParameterType.INTEGER, id="beside others"),
        pytest.param("id IN (:x) AND id + 1 = :x", ParameterType.INTEGER, id="a value as well"),
        pytest.param("region = 'IN (:x)' AND id = :x", ParameterType.INTEGER, id="in a text"),
    ],
)
def test_parameter_alone_in_an_in_is_a_list(
    sources: SourceSettings, condition: str, expected: ParameterType
) -> None:
    text = f"SELECT id FROM stock_level WHERE {condition}"  # noqa: S608 - a text of a test

    found = analyse(tool(text), sources, "kim", declares_missing=True)

    assert found.diagnostics == ()
    assert [one.type for one in found.parameters] == [expected]


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("id = :x", ParameterType.INTEGER),
        ("price > :x", ParameterType.NUMBER),
        ("day = :x", ParameterType.DATE),
        ("is_open = :x", ParameterType.BOOLEAN),
        ("id = ANY(:x)", ParameterType.INTEGER_LIST),
        ("tags && :x", ParameterType.STRING_LIST),
        ("(:x IS NULL OR id = :x)", ParameterType.INTEGER),
        ("region = :x", ParameterType.STRING),
        (":x IS NULL", ParameterType.STRING),
    ],
)
def test_type_of_an_undeclared_parameter_is_inferred(
    sources: SourceSettings,
    condition: str,
    kind: ParameterType,
) -> None:
    text = f"SELECT id FROM stock_level WHERE {condition}"  # noqa: S608

    (parameter,) = analyse(tool(text), sources, "kim", declares_missing=True).parameters

    assert parameter.type is kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SELECT l.use_count FROM stock_level l",
            "SELECT l.used_count FROM stock_level l",
        ),
        ("SELECT regoin FROM stock_level", "SELECT stock_level.region FROM stock_level"),
        ("SELECT id FROM stock_levels", "SELECT id FROM stock_level"),
        ("SELECT s.id FROM stock_level st", "SELECT st.id FROM stock_level st"),
        ("SELECT stock_level.id FROM stock_level st", "SELECT st.id FROM stock_level st"),
        ("SELECT uper(region) FROM stock_level", "SELECT upper(region) FROM stock_level"),
        ("SELECT 1; SELECT 2", "SELECT 1"),
    ],
)
def test_fault_is_mended_by_its_fix(sources: SourceSettings, text: str, expected: str) -> None:
    found = analyse(tool(text), sources, "kim")

    assert not found.is_valid
    assert mended(found) == expected


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param(
            "SELECT s.regionn, s.id, x.id FROM stock_level AS s WHERE s.pricee > 1",
            ["s.regionn", "x.id", "s.pricee"],
            id="names",
        ),
        pytest.param(
            "SELECT nope FROM stock_level WHERE WHERE id = 1", ["nope", "WHERE"], id="beside syntax"
        ),
        pytest.param("SELECT 1 FROM odrers, stock_levl", ["odrers", "stock_levl"], id="tables"),
        pytest.param(
            "SELECT tableoid, regio FROM stock_level", ["regio"], id="what no scan has seen"
        ),
    ],
)
def test_several_faults_are_told_where_the_database_tells_one(
    sources: SourceSettings, text: str, places: list[str]
) -> None:
    found = analyse(tool(text), sources, "kim")

    told = sorted(found.diagnostics, key=lambda one: one.start)
    assert [text[one.start : one.end] for one in told] == places


def test_fault_is_placed_in_the_text_in_utf16(sources: SourceSettings) -> None:
    text = "SELECT '👍' AS ok, colour FROM stock_level"

    (told,) = analyse(tool(text), sources, "kim").to_json()["diagnostics"]

    encoded = text.encode("utf-16-le")
    assert encoded[2 * told["from"] : 2 * told["to"]].decode("utf-16-le") == "colour"
    assert told["severity"] == "error"


def test_fault_of_the_text_is_placed_without_a_database(sources: SourceSettings) -> None:
    found = analyse(tool("SELECT 'x FROM t WHERE a = :a"), sources, "kim")

    assert [(one.start, str(one.message)[:11]) for one in found.diagnostics] == [(7, "this string")]


def test_clause_that_breaks_without_its_parameter_is_told(sources: SourceSettings) -> None:
    text = "SELECT id FROM stock_level WHERE [[ region = :region ]]"
    optional = declared("region", presence=Presence.OPTIONAL_NULL)

    found = analyse(tool(text, optional), sources, "kim")

    assert "syntax error" in str(found.diagnostics[0].message)


def test_undeclared_and_unused_parameters_are_told_with_a_fix(sources: SourceSettings) -> None:
    text = "SELECT id FROM stock_level WHERE region = {{area}}"

    found = analyse(tool(text, declared("region")), sources, "kim")

    assert [(one.code, one.parameter) for one in found.diagnostics] == [
        ("undeclared", "area"),
        ("unused", "region"),
    ]
    assert not found.is_valid


def test_parameter_that_cannot_be_served_is_told(sources: SourceSettings) -> None:
    text = "SELECT id FROM stock_level WHERE region = :region"

    found = analyse(tool(text, declared("region", ParameterType.ENUM)), sources, "kim")

    assert [(one.code, one.parameter) for one in found.diagnostics] == [("definition", "region")]


def test_change_of_data_is_refused(sources: SourceSettings) -> None:
    found = analyse(tool("DELETE FROM stock_level"), sources, "kim")

    assert found.kind == "DELETE"
    assert "only queries" in str(found.diagnostics[0].message)


def test_source_that_is_away_is_one_warning(stock: CatalogTable) -> None:
    DataSource.objects.create(
        name="away", engine="postgresql", host="127.0.0.1", port=choose_free_port(), **ROLE
    )
    spec = replace(tool("SELECT :a::int AS n"), logic=SqlLogic("SELECT :a::int AS n", "away"))

    found = analyse(spec, read_sources(), "kim", declares_missing=True)

    assert [(one.severity.value, one.code) for one in found.diagnostics] == [("warning", "source")]
    assert [one.name for one in found.parameters] == ["a"]
    assert found.is_valid


def test_source_without_right_is_not_asked(stock: CatalogTable) -> None:
    DataSource.objects.create(
        name="closed", engine="postgresql", host="127.0.0.1", is_restricted=True, **ROLE
    )
    spec = replace(tool(""), logic=SqlLogic("SELECT 1 AS n", "closed"))

    found = analyse(spec, read_sources(), "kim")

    assert "'kim' may not use the data source 'closed'" in str(found.diagnostics[0].message)


def test_statement_above_the_limit_is_not_read(sources: SourceSettings) -> None:
    found = analyse(tool("SELECT " + "1+" * 60_000 + "1"), sources, "kim")

    assert "the limit is 100,000" in str(found.diagnostics[0].message)
    assert found.parameters == ()


@pytest.fixture
def shop(db: None, tmp_path: Path) -> DataSource:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE city (name TEXT, founded DATE, size INTEGER)")
    file.close()
    source = DataSource.objects.create(name="shop", engine="sqlite", path=str(path))
    columns = {"name": "TEXT", "founded": "DATE", "size": "INTEGER"}
    make_table(
        "city",
        {name: {"type_name": kind} for name, kind in columns.items()},
        source=source,
        schema="",
    )
    return source


def on_file(statement: str) -> ToolSpec:
    return ToolSpec(id=1, name="city", logic=SqlLogic(statement, "shop", Dialect.SQLITE))


def test_sqlite_types_come_from_the_compared_columns(shop: DataSource) -> None:
    text = "SELECT name FROM city WHERE founded >= :since AND size IN (:sizes) AND name = :name"

    found = analyse(on_file(text), read_sources(), "kim", declares_missing=True)

    assert {one.name: one.type for one in found.parameters} == {
        "since": ParameterType.DATE,
        "sizes": ParameterType.INTEGER_LIST,
        "name": ParameterType.STRING,
    }
    assert found.is_valid
    assert [column.name for column in found.columns] == ["name"]
    shared_loop().close()


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("bigint unsigned", ParameterType.INTEGER),
        ("UNSIGNED BIG INT", ParameterType.INTEGER),
        ("INT[]", ParameterType.STRING),
        ("INTERVAL", ParameterType.STRING),
        ("point", ParameterType.STRING),
        ("enum('int','mall')", ParameterType.STRING),
        ("STRUCT(a INTEGER)", ParameterType.STRING),
        ("decimal(10,2)", ParameterType.NUMBER),
        ("datetime(6)", ParameterType.DATETIME),
    ],
)
def test_type_of_a_column_says_that_of_a_parameter(column: str, expected: ParameterType) -> None:
    assert find_column_type(column) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT nam FROM city", "SELECT name FROM city"),
        ("SELECT name FROM citys", "SELECT name FROM city"),
    ],
)
def test_sqlite_fault_is_mended_by_its_fix(shop: DataSource, text: str, expected: str) -> None:
    assert mended(analyse(on_file(text), read_sources(), "kim")) == expected
    shared_loop().close()


def test_expression_tells_names_types_and_faults(db: None) -> None:
    spec = ToolSpec(id=1, name="e", logic=ExpressionLogic("a * 2 + len(text.upper())"))

    found = analyse(spec, SourceSettings(), "kim", declares_missing=True)

    assert [(one.name, one.type, one.places) for one in found.parameters] == [
        ("a", ParameterType.NUMBER, ((0, 1),)),
        ("text", ParameterType.STRING, ((12, 16),)),
    ]
    assert found.is_valid


def test_mistyped_function_of_an_expression_is_mended(db: None) -> None:
    spec = ToolSpec(id=1, name="e", logic=ExpressionLogic("rond(1.5)"))

    assert mended(analyse(spec, SourceSettings(), "kim")) == "round(1.5)"


def test_renamed_parameter_of_an_expression_is_mended(db: None) -> None:
    logic = ExpressionLogic("first + second")
    parameters = (declared("first", ParameterType.NUMBER), declared("two", ParameterType.NUMBER))
    spec = ToolSpec(id=1, name="e", logic=logic, parameters=parameters)

    found = analyse(spec, SourceSettings(), "kim")

    assert [one.code for one in found.diagnostics] == ["undeclared", "unused"]
    assert mended(found) == "first + two"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param(
            "total = 0\nfor n in numbers:\n    if n > threshold:\n        total += n\ntotal",
            {"numbers": ParameterType.NUMBER_LIST, "threshold": ParameterType.NUMBER},
            id="loop over numbers",
        ),
        pytest.param(
            "best = ''\nfor word in words:\n    best = word.upper()\nbest",
            {"words": ParameterType.STRING_LIST},
            id="loop over texts",
        ),
        pytest.param(
            "found = 1 in codes\nfound",
            {"codes": ParameterType.NUMBER_LIST},
            id="number among others",
        ),
        pytest.param(
            "rest = amount\nrest -= 1\nrest",
            {"amount": ParameterType.NUMBER},
            id="number by another name",
        ),
        pytest.param(
            "row['price'] * count",
            {"row": ParameterType.JSON, "count": ParameterType.NUMBER},
            id="field of an object",
        ),
        pytest.param(
            "for row in rows:\n    price = row['price']\nprice",
            {"rows": ParameterType.JSON},
            id="loop over rows",
        ),
        pytest.param(
            "add_days(since, days)",
            {"since": ParameterType.DATE, "days": ParameterType.INTEGER},
            id="arguments of a function",
        ),
        pytest.param(
            "low < len(name) < high",
            {
                "low": ParameterType.NUMBER,
                "name": ParameterType.STRING,
                "high": ParameterType.NUMBER,
            },
            id="bounds of a length",
        ),
        pytest.param(
            "', '.join(names)", {"names": ParameterType.STRING_LIST}, id="texts that are joined"
        ),
        pytest.param("text = first\ntext", {"first": ParameterType.STRING}, id="nothing known"),
    ],
)
def test_types_of_a_script_are_inferred_from_its_use(
    db: None, script: str, expected: dict[str, ParameterType]
) -> None:
    spec = ToolSpec(id=1, name="s", logic=ScriptLogic(script))

    found = analyse(spec, SourceSettings(), "kim", declares_missing=True)

    assert {one.name: one.type for one in found.parameters} == expected


@pytest.mark.parametrize(
    ("script", "optional"),
    [
        pytest.param("0 if limit is None else limit * factor", ["limit"], id="asked for None"),
        pytest.param("coalesce(limit, 10) * factor", ["limit"], id="another value instead"),
        pytest.param("limit * factor", [], id="used as it is"),
    ],
)
def test_name_that_is_asked_for_none_may_be_left_out(
    db: None, script: str, optional: list[str]
) -> None:
    spec = ToolSpec(id=1, name="s", logic=ExpressionLogic(script))

    found = analyse(spec, SourceSettings(), "kim", declares_missing=True)

    assert [one.name for one in found.parameters if one.is_optional] == optional


def test_each_fault_of_a_script_is_told(db: None) -> None:
    text = "total = a.b\nfor n in numbers:\n    n.nope()\n    break\nreturn total\nresult = total"
    logic = ScriptLogic(text)

    found = analyse(ToolSpec(id=1, name="s", logic=logic), SourceSettings(), "kim")

    told = [one for one in found.diagnostics if one.code == "python"]
    assert [text.count("\n", 0, one.start) + 1 for one in told] == [1, 3, 5]


def test_script_is_analysed_line_by_line(db: None) -> None:
    logic = ScriptLogic("total = 0\nfor value in values:\n    total += value\nimport os\n")

    found = analyse(ToolSpec(id=1, name="s", logic=logic), SourceSettings(), "kim")

    assert found.kind == "SCRIPT"
    assert found.text[found.diagnostics[0].start :].startswith("import")
