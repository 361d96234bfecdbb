"""`manage.py tools` as people and programs call it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.factories import claim, make_expression, make_tool, make_toolset
from toolbuilder.editing.publishing import archive
from toolbuilder.history.versions import record_versions
from toolbuilder.models import ToolVersion, VersionOrigin
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


def run(*arguments: str) -> str:
    """What the command writes to standard output."""
    output = StringIO()
    call_command("tools", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def refuse(*arguments: str) -> tuple[int, str]:
    """The exit code of a command that fails, and its words."""
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    return caught.value.returncode, str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The tool `times`, exported."""
    make_expression(name="times")
    path = tmp_path / "tools.yaml"
    run("export", "--output", str(path))
    return path


def test_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    make_expression(name="times")
    away = tmp_path / "none" / "tools.yaml"

    code, words = refuse("export", "--output", str(away))

    assert (code, words) == (2, f"{away} cannot be used: No such file or directory")


def test_list_tells_state_and_version() -> None:
    make_expression(name="times")
    make_tool(name="off", is_active=False)
    archive([make_tool(name="old").pk], "ann")
    record_versions()

    rows = json.loads(run("list", "--all", "--json"))

    told = [(row["name"], row["kind"], row["state"], row["version"]) for row in rows]
    assert told == [
        ("off", "SQL", "inactive", 1),
        ("old", "SQL", "archived", 1),
        ("times", "PYTHON", "active", 1),
    ]
    assert "old" not in run("list")


def test_tool_is_shown_as_it_would_be_exported(file: Path) -> None:
    assert run("show", "times") == file.read_text()


def test_unknown_tool_is_told_of() -> None:
    assert refuse("show", "nothing") == (
        2,
        "there is no tool called 'nothing'; see manage.py tools list",
    )


def test_versions_are_listed_and_compared() -> None:
    make_expression(name="times")
    record_versions()
    ToolDefinition.objects.update(definition="b * a")

    assert run("record") == "1 versions recorded.\n"

    assert [line.split()[0] for line in run("versions", "times").splitlines()] == [
        "version",
        "2",
        "1",
    ]
    assert "  - a * b\n  + b * a\n" in run("diff", "times", "1")
    assert run("diff", "times", "1", "1") == ""
    assert "a * b" in run("show", "times", "--version-number", "1")
    assert refuse("diff", "times", "9")[1].startswith("times has no version 9")


def test_advice_is_given_and_a_problem_ends_in_code_1() -> None:
    make_expression(name="times")
    assert {"level", "code", "text", "place"} == set(json.loads(run("lint", "--json"))["times"][0])
    make_tool(name="broken", annotations={"wrong": True})

    with pytest.raises(SystemExit) as caught:
        run("lint", "broken")

    assert caught.value.code == 1


def test_exported_tool_comes_back(file: Path) -> None:
    ToolDefinition.objects.all().delete()

    assert "times: version 1\n1 published, 0 refused.\n" in run(
        "import", str(file), "--note", "back"
    )

    tool = ToolDefinition.objects.get()
    assert run("show", "times") == file.read_text()
    assert (tool.versions.get().origin, tool.versions.get().note) == (
        VersionOrigin.IMPORTED,
        "back",
    )


def test_dry_run_tells_and_writes_nothing(file: Path) -> None:
    ToolDefinition.objects.update(definition="b * a")

    told = run("import", str(file), "--dry-run")

    assert told.startswith("times: changed\n  definition:\n")
    assert ToolDefinition.objects.get().definition == "b * a"


@pytest.mark.parametrize(
    ("strategy", "left"),
    [pytest.param("skip", "b * a", id="skip"), pytest.param("replace", "a * b", id="replace")],
)
def test_conflict_is_settled_as_asked(file: Path, strategy: str, left: str) -> None:
    ToolDefinition.objects.update(definition="b * a")
    assert refuse("import", str(file))[0] == 3

    run("import", str(file), "--on-conflict", strategy)

    assert ToolDefinition.objects.get().definition == left


def test_refused_tool_hinders_no_other(file: Path) -> None:
    ToolDefinition.objects.all().delete()
    file.write_text(f"{file.read_text()}- name: bad\n  definition: DROP TABLE users\n")

    with pytest.raises(SystemExit) as caught:
        run("import", str(file))

    assert caught.value.code == 1
    assert ToolDefinition.objects.get().name == "times"


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        pytest.param({"definition": "a * b"}, ["a=6", "b=7"], "42\n", id="numbers"),
        pytest.param(
            {"definition": "a + '!'", "parameters": ["a"]}, ["a=6"], "6!\n", id="text stays text"
        ),
        pytest.param(
            {
                "definition": "len(a)",
                "parameters": [{"param_name": "a", "param_type": "NUMBER_LIST"}],
            },
            ["a:=[1, 2]"],
            "2\n",
            id="JSON",
        ),
        pytest.param(
            {"definition": "a", "parameters": [claim("a")]},
            ["--claim", "a=acme"],
            "acme\n",
            id="claim",
        ),
    ],
)
def test_tool_is_called(tool: dict[str, Any], arguments: list[str], answer: str) -> None:
    make_expression(name="tool", **tool)

    assert run("call", "tool", *arguments) == answer


def test_query_is_called_with_the_limits_of_the_tool() -> None:
    make_tool(
        "SELECT n FROM generate_series(1, :n) n",
        name="count",
        row_limit=2,
        parameters=[{"param_name": "n", "param_type": "INTEGER"}],
    )

    structured = json.loads(run("call", "count", "n=5", "--json"))

    assert (structured["rows"], structured["truncated"]) == ([[1], [2]], True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["a=x", "b=1"], "- a:", id="type"),
        pytest.param(["a=1"], "- b:", id="missing"),
        pytest.param(["a"], "write arguments as name=value", id="no value"),
        pytest.param(["a:={"], "a:= must be followed by JSON", id="no JSON"),
    ],
)
def test_wrong_arguments_are_told_as_to_an_agent(arguments: list[str], message: str) -> None:
    make_expression(name="times")

    code, text = refuse("call", "times", *arguments)

    assert code == 1
    assert message in text


def test_import_into_a_reviewed_toolset_needs_a_reason(file: Path) -> None:
    make_toolset("kr", "times", review="other")
    ToolDefinition.objects.update(definition="a + b")
    replace = ("import", str(file), "--on-conflict", "replace")

    with pytest.raises(SystemExit):
        run(*replace)
    assert ToolDefinition.objects.get().definition == "a + b"
    run(*replace, "--without-review", "Half the shop is shut.")

    assert ToolDefinition.objects.get().definition == "a * b"
    assert ToolVersion.objects.latest("number").note == "No review: Half the shop is shut."
