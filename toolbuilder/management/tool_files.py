"""The actions of `manage.py tools` on a folder of files: export, apply, lint and test."""

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from catalog.sources.settings import SourceSettings, read_sources
from core.errors import DefinitionError, ToolboxError
from core.execution import CompiledTool
from core.lint import Advice, Neighbours, advise
from core.lints.advice import AdviceLevel, problem
from core.toolspec import Dialect
from gateways.engines import ENGINES, find_engine
from toolbuilder.cases.reports import TOTAL_SECONDS, ToolReport
from toolbuilder.cases.running import run_cases
from toolbuilder.editing.trial import TrialCaller
from toolbuilder.exchange.applying import ApplyRequest, FilePlan, apply_files
from toolbuilder.exchange.directories import read_directory, read_rows, write_directory
from toolbuilder.exchange.exchanged import ExchangedTool, ToolFiles
from toolbuilder.exchange.formats import require_no_faults
from toolbuilder.exchange.importing import ImportKind, PlannedTool
from toolbuilder.exchange.parts import write_sources
from toolbuilder.history.differences import ToolDifference, difference_lines
from toolbuilder.management.tool_arguments import add_without_review
from tools.names import read_reserved_names

WriteLine = Callable[[str], object]
_PROGRESS_STEP = 500


def add_apply(actions: Any) -> None:
    """Declare the arguments of `apply`."""
    apply = actions.add_parser(
        "apply",
        help="make tools, toolsets, data sources and the glossary what a folder's files say",
    )
    apply.add_argument("folder", metavar="DIR", type=Path)
    apply.add_argument(
        "--dry-run", action="store_true", help="only tell; exit code 2 if something would change"
    )
    apply.add_argument(
        "--prune",
        action="store_true",
        help="archive tools that came from files of this owner and are in none now",
    )
    apply.add_argument("--as", default="", metavar="USER", help="whose rights count")
    apply.add_argument(
        "--override-red",
        default="",
        metavar="REASON",
        help="apply although a test case is red; the reason stays in the history",
    )
    add_without_review(apply)
    apply.add_argument("--note", default="", help="kept with each version, such as the commit")


def is_folder(argument: str) -> bool:
    """Whether an argument is meant as a folder: it is one, or it has a separator, which no name has."""
    return os.sep in argument or Path(argument).is_dir()


def export_folder(
    folder: Path, tools: Iterable[ExchangedTool], *, prunes: bool, is_part: bool, tell: WriteLine
) -> None:
    """Write the files of these tools, and unless they are a part, of all else; `tell` gets what was done."""
    content, left_out = read_rows(tools)
    if is_part:
        content, left_out = ToolFiles(tools=content.tools), []
    done = write_directory(folder, content)
    for path in done.written:
        tell(f"{path}: written")
    for name in left_out:
        tell(f"sources/{name}.yaml: not written, an environment variable says where {name} is")
    for path in () if is_part else done.stale:
        if prunes:
            (folder / path).unlink()
        tell(f"{path}: {'removed' if prunes else 'of nothing that is there; --prune removes it'}")
    tell(f"{len(done.written):,} files written, {done.unchanged:,} unchanged.")


def apply_folder(
    folder: Path, request: ApplyRequest, tell: WriteLine, tell_progress: WriteLine
) -> bool:
    """Apply the files, and tell what changes, as Terraform does; whether anything does.

    `tell_progress` gets a line now and then where there are many tools.
    """

    def note(what: str, done: int, total: int) -> None:
        if done % _PROGRESS_STEP == 0 and done:
            tell_progress(f"{done:,} of {total:,} tools {what}")

    # What is read lives until the end; looking for garbage in it takes half of the time.
    gc.disable()
    try:
        plan = apply_files(read_directory(folder), request, note)
    finally:
        gc.enable()
    for line in plan_lines(plan):
        tell(line)
    return plan.has_changes


def plan_lines(plan: FilePlan) -> Iterator[str]:
    """The plan for a terminal: `+` new, `~` changed, `-` archived, and one line with their numbers."""
    new = changed = 0
    for planned in plan.tools:
        is_new = planned.kind is ImportKind.NEW
        new, changed = new + is_new, changed + (not is_new)
        yield from _tool_lines(planned)
    for part in plan.parts:
        is_new = part.changes is None
        new, changed = new + is_new, changed + (not is_new)
        yield f"{'+' if is_new else '~'} {part.kind} {part.name} ({part.path})"
        difference = ToolDifference(fields=part.changes or ())
        yield from (f"    {line}" for line in difference_lines(difference))
    gone = [tool.name for tool in plan.gone]
    if plan.is_pruned:
        yield from (f"- tool {name}: archived, its file is gone" for name in gone)
    elif gone:
        yield f"Files are gone of {', '.join(gone)}; --prune archives them."
    for name, reason in plan.unchecked.items():
        yield f"! {name}: not checked by its data source: {reason}"
    yield from plan.notes
    if plan.has_changes:
        archived = len(gone) if plan.is_pruned else 0
        counts = f"{new:,} new, {changed:,} changed, {archived:,} archived"
        yield f"{counts}, {plan.unchanged:,} unchanged."
    else:
        yield f"no changes, {plan.unchanged:,} unchanged."


def _tool_lines(planned: PlannedTool) -> Iterator[str]:
    given, stored = planned.given, planned.stored
    if stored is None:
        yield f"+ tool {given.name} ({given.part.path})"
        return
    back = ": no longer archived" if stored.archived_at else ""
    yield f"~ tool {given.name} ({given.part.path}){back}"
    for line in difference_lines(planned.difference) if planned.difference else ():
        yield f"    {line}"
    if planned.has_other_cases:
        yield "    other test cases"
    for change in planned.breaking:
        yield f"    breaks calls: {change.text}"


def lint_folder(folder: Path) -> tuple[list[str], bool]:
    """Faults of the files and advice on their tools, a line each, and whether there is a problem.

    Neither the application's database nor a data source is asked. A data source that is in no file is
    taken for PostgreSQL.
    """
    content = read_directory(folder)
    lines = [str(fault) for fault in content.faults]
    engines = {source.name: str(source.columns["engine"]) for source in content.sources}
    names = {tool.snapshot.data_source for tool in content.tools} | {None}
    dialects = {
        name: find_engine(engines.get(name or "")).dialect
        for name in names
        if engines.get(name or "", Dialect.POSTGRESQL.value) in ENGINES
    }
    sources = SourceSettings(dialects=dialects, users_of=dict.fromkeys(names))
    reserved = read_reserved_names()
    neighbours = Neighbours(
        {tool.name: tool.snapshot.description_agent for tool in content.tools if tool.is_active}
    )
    has_problem = bool(lines)
    for tool in content.tools:
        for item in _advise(tool, sources, neighbours, reserved):
            has_problem = has_problem or item.level is AdviceLevel.PROBLEM
            place = f" {item.place}:" if item.place else ""
            lines.append(f"{tool.part.path}: {item.level}:{place} {item.text}")
    return lines, has_problem


def report_folder(folder: Path) -> list[ToolReport]:
    """The reports of the tools of a folder that have test cases, run as their files say; nothing is kept.

    Raises ImportFileError for files with faults.
    """
    content = read_directory(folder)
    require_no_faults(content.faults)
    with transaction.atomic():
        # Cases run on the data sources that the files describe.
        write_sources(content.sources, [])
        sources = read_sources()
        transaction.set_rollback(True)
    reports = []
    for tool in content.tools:
        try:
            spec = tool.snapshot.to_spec(sources)
            runs = run_cases(
                spec,
                tool.cases or (),
                sources,
                TrialCaller(username=""),
                total_seconds=TOTAL_SECONDS,
            )
        except ToolboxError as error:
            reports.append(ToolReport(tool.name, fault=error))
        else:
            reports.extend([ToolReport(tool.name, runs)] if runs else [])
    return reports


def _advise(
    tool: ExchangedTool, sources: SourceSettings, others: Neighbours, reserved: frozenset[str]
) -> Sequence[Advice]:
    try:
        spec = tool.snapshot.to_spec(sources)
        CompiledTool(spec)
        return advise(spec, others, reserved)
    except DefinitionError as error:
        return [problem("unreadable", "{reason}", reason=error.message)]
