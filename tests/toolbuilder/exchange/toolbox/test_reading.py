"""MCP Toolbox's own examples are taken, or each part that is not says why."""

from pathlib import Path

import pytest

from toolbuilder.exchange.toolbox.document import is_toolbox
from toolbuilder.exchange.toolbox.reading import ToolboxReading, read_toolbox
from tools.definitions import ToolDocument

EXAMPLES = Path(__file__).parent / "toolbox_examples"
# The tools that are taken of each file, and how many of its parts are refused.
EXPECTED = {
    "conformance": (["test_simple_text", "test_error_handling"], 4),
    "http": ([], 2),
    "postgres": (
        [
            "list_autovacuum_configurations",
            "list_memory_configurations",
            "list_top_bloated_tables",
            "list_replication_slots",
            "list_invalid_indexes",
        ],
        25,
    ),
    "postgres-memory": ([], 2),
    "postgres-sql": (["search_flights_by_number"], 1),
    "quickstart": (["search-hotels-by-name", "search-hotels-by-location"], 3),
    "sqlite": ([], 2),
    "sqlite-sql": (["search-users"], 1),
    "tools": (["search_flights_by_user_id", "search_all_flight"], 1),
}


def read(name: str) -> ToolboxReading:
    return read_toolbox((EXAMPLES / f"{name}.yaml").read_text())


def read_tool(fields: str, kind: str = "postgres-sql") -> ToolboxReading:
    """A file with one tool of these lines."""
    lines = "".join(f"    {line}\n" for line in fields.splitlines())
    return read_toolbox(f"tools:\n  t:\n    kind: {kind}\n    source: s\n{lines}")


def only(reading: ToolboxReading) -> ToolDocument:
    [tool] = reading.tools
    return tool.document


def test_every_example_is_expected() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_example_is_taken_or_each_refusal_explained(name: str) -> None:
    text = (EXAMPLES / f"{name}.yaml").read_text()
    reading = read_toolbox(text)
    tools, refusals = EXPECTED[name]

    assert is_toolbox(text)
    assert [tool.document.name for tool in reading.tools] == tools
    assert len(reading.refusals) == refusals
    lines = text.splitlines()
    for finding in reading.refusals:
        # The line is where the entry begins, in either layout.
        assert any(finding.name in line for line in lines[finding.line - 1 : finding.line + 2])
        assert len(str(finding.text)) > 30


def test_parameters_are_named_in_the_statement() -> None:
    document = read("postgres-sql").tools[0].document

    assert "airline = :airline\nAND flight_number = :flight_number" in document.definition
    assert [row.param_type for row in document.parameters] == ["STRING", "STRING"]


def test_authenticated_parameter_is_bound_to_the_claim() -> None:
    [row] = read("tools").tools[0].document.parameters

    assert (row.binding, row.bound_value) == ("CLAIM", "sub")


def test_source_has_no_password_and_says_what_is_to_be_set() -> None:
    [plain], [variable] = read("quickstart").sources, read("postgres").sources

    assert "my-password" not in str(plain)
    assert dict(plain.columns) == {
        "engine": "postgresql",
        "host": "127.0.0.1",
        "port": 5432,
        "database": "toolbox_db",
        "username": "toolbox_user",
    }
    assert variable.columns["password_reference"] == "env:POSTGRES_PASSWORD"
    assert variable.missing == ("database", "username")
    assert "set it on the data source's page" in str(read("quickstart").findings[0].text)


def test_parameters_of_every_type_keep_their_rules() -> None:
    reading = read_tool(
        """statement: SELECT $1, $2, $3, $4, $5, $6, $7
parameters:
  - {name: a, type: string, description: A, default: x}
  - {name: b, type: integer, minValue: 1, maxValue: 9, required: false}
  - {name: c, type: float, default: null}
  - {name: d, type: boolean}
  - {name: e, type: array, items: {name: i, type: integer}}
  - {name: f-g, type: string, allowedValues: [on, off]}
  - {name: h, type: string, allowedValues: ["^k.*", l]}"""
    )

    rows = {row.param_name: row for row in only(reading).parameters}
    assert (rows["a"].is_required, rows["a"].default) == (False, "x")
    assert (rows["b"].minimum, rows["b"].maximum, rows["b"].is_required) == ("1", "9", False)
    assert rows["c"].is_required, "as there, a default of null is none"
    assert rows["e"].param_type == "INTEGER_LIST"
    assert (rows["f_g"].param_type, rows["f_g"].allowed_values) == ("ENUM", ["on", "off"])
    assert rows["h"].pattern == "^k.*|l"
    assert [str(finding.text) for finding in reading.findings] == ["f-g is called f_g here"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param("statement: SELECT $2", "has parameter 2, and 0 are declared", id="number"),
        pytest.param(
            "statement: SELECT 1\nparameters: [{name: a, type: date}]",
            "there is no type date here",
            id="type",
        ),
        pytest.param(
            "statement: SELECT $1\nparameters: [{name: a, type: string, excludedValues: [x]}]",
            "excludedValues has no counterpart",
            id="excluded values",
        ),
        pytest.param(
            "statement: SELECT $1\nparameters: [{name: a, type: string, secure: true}]",
            "bind the parameter to a claim",
            id="secure",
        ),
        pytest.param("description: none", "it needs a statement", id="no statement"),
    ],
)
def test_what_cannot_be_said_is_refused(fields: str, reason: str) -> None:
    [refusal] = read_tool(fields).refusals

    assert refusal.line == 2
    assert reason in str(refusal.text)


def test_one_bad_tool_hinders_no_other() -> None:
    good = "kind: tool\nname: good\ntype: sqlite-sql\nsource: s\nstatement: SELECT 1"
    bad = "kind: tool\nname: bad\ntype: bigquery-sql\nsource: s"

    reading = read_toolbox(f"{bad}\n---\n{good}\n---\nkind: tool\n---\n- 1")

    assert only(reading).name == "good"
    assert [finding.line for finding in reading.refusals] == [1, 1, 12]
    assert "queries run on PostgreSQL, MariaDB / MySQL, SQLite;" in str(reading.refusals[1])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("toolbuilder: 1\ntools:\n- name: t\n", id="our own"),
        pytest.param("tools:\n- name: t\n", id="a list"),
        pytest.param("tools: [", id="no YAML"),
        pytest.param("kind: Deployment\nname: x\n", id="another program's"),
    ],
)
def test_other_files_are_not_of_toolbox(text: str) -> None:
    assert not is_toolbox(text)
