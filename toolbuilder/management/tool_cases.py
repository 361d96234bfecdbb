"""`manage.py tools test`: runs the test cases of tools, and says what is red."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toolbuilder.cases.reports import ToolReport, report_lines, report_tools, write_junit
from toolbuilder.management.tool_files import is_folder, report_folder


def add_test(actions: Any) -> None:
    """The arguments of the action."""
    test = actions.add_parser("test", help="run test cases; exit code 1 where one is red")
    test.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="tools (default: all with cases), or a folder of files, of which nothing is kept",
    )
    test.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML too")


def run_tests(options: dict[str, Any], write: Callable[[str], Any]) -> bool:
    """Run the cases that the options name, and say what came of them; False where one is red."""
    names = options["names"]
    if len(names) == 1 and is_folder(names[0]):
        return write_reports(report_folder(Path(names[0])), options["junit"], write)
    return write_reports(report_tools(names), options["junit"], write)


def write_reports(
    reports: Sequence[ToolReport], junit: str | None, write: Callable[[str], Any]
) -> bool:
    """Say what is in the reports, also as a JUnit file of that name; False where one is red."""
    for line in report_lines(reports):
        write(line)
    if junit:
        Path(junit).write_text(write_junit(reports), encoding="utf-8")
    return not any(report.is_red for report in reports)
