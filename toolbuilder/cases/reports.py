"""What a run of many tools' cases says on a command line, and as JUnit XML for other programs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from catalog.sources.settings import read_sources
from core.cases.outcomes import CaseState
from core.errors import DefinitionError, ToolboxError
from core.messages import message
from toolbuilder.cases.running import CaseRun, run_rows
from toolbuilder.editing.trial import TrialCaller
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

# Of all cases of a tool, where nobody waits for a page.
TOTAL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The cases of a tool that ran; `fault` says why none could, such as a definition that cannot be read."""

    name: str
    runs: Sequence[CaseRun] = ()
    fault: ToolboxError | None = None

    @property
    def is_red(self) -> bool:
        """Whether something keeps the tool from being served."""
        return self.fault is not None or any(run.verdict.state.blocks for run in self.runs)


def report_tools(names: Sequence[str]) -> list[ToolReport]:
    """The reports of the served tools of these names, or of all with cases; the results are kept.

    Raises DefinitionError for a name that is no tool's.
    """
    tools = ToolDefinition.objects.whole().order_by("name")
    chosen = list(
        tools.filter(name__in=names)
        if names
        else tools.present().filter(cases__isnull=False).distinct()
    )
    if missing := sorted(set(names) - {tool.name for tool in chosen}):
        raise DefinitionError(
            message("tool.none_called", "there is no tool called {names}", names=", ".join(missing))
        )
    return [report_tool(tool) for tool in chosen]


def report_tool(tool: ToolDefinition) -> ToolReport:
    """The report of what is served of a tool, with the rights of who published it."""
    document, sources = ToolDocument.of_row(tool), read_sources()
    rows = list(tool.cases.order_by("name"))
    caller = TrialCaller(username=tool.updated_by or tool.created_by)
    try:
        spec = document.to_spec(sources, tool_id=tool.pk)
        runs = run_rows(
            rows,
            spec,
            sources,
            caller,
            logic_hash=document.logic_hash,
            total_seconds=TOTAL_SECONDS,
        )
    except ToolboxError as error:
        return ToolReport(tool.name, fault=error)
    return ToolReport(tool.name, runs)


def report_lines(reports: Iterable[ToolReport]) -> list[str]:
    """A line for each case, with what differs below it, and a sum."""
    lines, counts = [], dict.fromkeys(CaseState, 0)
    for report in reports:
        if report.fault:
            lines.append(f"{report.name}: cannot run: {report.fault}")
            counts[CaseState.CANNOT_RUN] += 1
        for run in report.runs:
            counts[run.verdict.state] += 1
            took = f" ({run.outcome.elapsed_ms:.0f} ms)" if run.outcome else ""
            state = run.verdict.state.value.lower().replace("_", " ")
            lines.append(f"{report.name}: {run.case.name}: {state}{took}")
            lines.extend(f"  {failure}" for failure in run.verdict.failures)
    words = (
        f"{count:,} {state.value.lower().replace('_', ' ')}"
        for state, count in counts.items()
        if count or state != CaseState.SKIPPED
    )
    return [*lines, ", ".join(words) + "."]


def write_junit(reports: Iterable[ToolReport]) -> str:
    """The reports as JUnit XML: a suite for each tool; what is only too slow is a passed test with a note."""
    kinds = {
        CaseState.RED: "failure",
        CaseState.CANNOT_RUN: "error",
        CaseState.SLOW: "system-out",
        CaseState.SKIPPED: "skipped",
    }
    root = ElementTree.Element("testsuites")
    for report in reports:
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(report.name))
        found = [
            (run.case.name, run.verdict.state, str(run.verdict.sentence or ""), run.outcome)
            for run in report.runs
        ]
        if report.fault:
            found.append(("definition", CaseState.CANNOT_RUN, str(report.fault), None))
        for name, state, text, outcome in found:
            seconds = outcome.elapsed_ms / 1_000 if outcome else 0.0
            names = {"classname": _clean(report.name), "name": _clean(name)}
            case = ElementTree.SubElement(suite, "testcase", {**names, "time": f"{seconds:.3f}"})
            if kind := kinds.get(state):
                ElementTree.SubElement(case, kind).text = _clean(text)
        states = [state for _name, state, _text, _outcome in found]
        suite.set("tests", str(len(found)))
        suite.set("failures", str(states.count(CaseState.RED)))
        suite.set("errors", str(states.count(CaseState.CANNOT_RUN)))
        suite.set("skipped", str(states.count(CaseState.SKIPPED)))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(
        character if character in "\t\n" or character.isprintable() else " " for character in text
    )
