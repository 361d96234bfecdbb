"""Cases on the command line: text, JUnit XML and exit codes."""

from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from core.cases.outcomes import CaseState
from tests.toolbuilder.cases.rows import add_case, case_of, publish
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


def run_command(*arguments: str) -> tuple[int, list[str]]:
    """The exit code of `tools test`, and its lines."""
    output = StringIO()
    try:
        call_command("tools", "test", *arguments, stdout=output)
    except SystemExit as ended:
        return int(str(ended.code)), output.getvalue().splitlines()
    return 0, output.getvalue().splitlines()


def test_green_cases_are_told_and_kept() -> None:
    row = add_case(publish())

    code, lines = run_command("double")

    assert code == 0
    assert lines[0].startswith("double: twice two: green (")
    assert lines[-1] == "1 green, 0 red, 0 slow, 0 cannot run."
    row.refresh_from_db()
    assert row.state == CaseState.GREEN


def test_red_ones_end_with_1_and_are_failures_in_junit(tmp_path: Path) -> None:
    tool = publish()
    add_case(tool)
    add_case(tool, case_of("gone", arguments={"b": 1}))
    add_case(tool, case_of("large", {"check": "bytes", "at_most": 0}))
    ToolDefinition.objects.update(definition="a * 3")
    file = tmp_path / "junit.xml"

    code, lines = run_command("--junit", str(file))

    assert code == 1
    assert "  Expected $.result = 4; got 6." in lines
    suite = ElementTree.parse(file).getroot()[0]  # noqa: S314 - our own file
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    found = {case.get("name"): [part.tag for part in case] for case in suite}
    assert found == {"gone": ["error"], "large": ["system-out"], "twice two": ["failure"]}


def test_a_tool_that_is_not_there_is_refused() -> None:
    with pytest.raises(CommandError, match="there is no tool called nobody"):
        run_command("nobody")
