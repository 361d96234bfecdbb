"""Many tools judged at once, as publishing judges one: names, data sources, logic and what the databases say."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from catalog.sources.settings import SourceSettings, read_sources, require_usable
from core.errors import (
    DefinitionError,
    RedCasesError,
    ReviewNeededError,
    StatementError,
    ToolboxError,
)
from core.execution import CompiledTool, QuerySources
from core.toolspec import ExpressionLogic
from toolbuilder.cases.gate import require_green
from toolbuilder.exchange.importing import PlannedTool
from toolbuilder.exchange.yaml_nodes import FileFault
from toolbuilder.models import ToolCase
from toolbuilder.reviews.rules import explain_need, find_reviewing, read_reviewing
from tools.aliases import ToolAlias
from tools.names import read_proxied_names, read_reserved_names, require_free_name
from tools.running import check_tools
from tools.source_loop import shared_loop

_CHECK_WITHIN_S = 60.0
_LONGEST_CHECK_S = 1.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """Names of the tools that their databases took, those that could not be asked with the reason, and faults."""

    judged: set[str] = field(default_factory=set)
    unchecked: dict[str, str] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)

    def note(self, plan: PlannedTool, error: ToolboxError | None = None) -> None:
        """Keep what somebody says of a tool: None of a good one, DefinitionError of a bad one."""
        if error is None:
            self.judged.add(plan.given.name)
        elif isinstance(error, StatementError):
            part = plan.given.part
            self.faults.append(part.fault_in(error.message, "definition", error.position))
        elif isinstance(error, DefinitionError | ReviewNeededError):
            self.faults.append(plan.given.part.fault(error.message))
        else:
            self.unchecked[plan.given.name] = str(error)


def judge_tools(
    planned: Iterable[PlannedTool],
    username: str,
    *,
    accepts_red: bool,
    is_reviewed: bool,
    note_judged: Callable[[int], object] = lambda _count: None,
) -> Judgement:
    """What is wrong with the tools; the rights of `username` on their data sources count.

    `note_judged` gets how many tools of databases are judged so far.

    Without `accepts_red` a red test case is a fault, without `is_reviewed` a toolset that asks for a review.
    """
    judgement, sources = Judgement(), read_sources()
    old_names = ToolAlias.objects.of_tools().answering().values_list("old_name", flat=True)
    taken = read_reserved_names() | read_proxied_names() | frozenset(old_names)
    asking = [] if is_reviewed else read_reviewing()
    asked: dict[int, tuple[CompiledTool, PlannedTool]] = {}
    listed = list(planned)
    for plan in listed:
        snapshot = plan.given.snapshot
        try:
            if snapshot.name in taken:
                require_free_name(snapshot.name, plan.stored)
            spec = snapshot.to_spec(sources)
            tool = CompiledTool(spec)
            require_usable(sources, spec.logic, username)
            if names := find_reviewing(plan.stored, snapshot, asking):
                raise explain_need(names)
        except (DefinitionError, ReviewNeededError) as error:
            judgement.note(plan, error)
            continue
        if isinstance(spec.logic, ExpressionLogic):
            judgement.note(plan)
        else:
            asked[id(tool)] = tool, plan

    _ask_databases(asked, judgement, sources, note_judged)
    if not accepts_red:
        judge_cases(listed, judgement, sources, username)
    judgement.faults.sort()
    return judgement


def _ask_databases(
    asked: Mapping[int, tuple[CompiledTool, PlannedTool]],
    judgement: Judgement,
    sources: SourceSettings,
    note_judged: Callable[[int], object],
) -> None:
    """Note what the databases and sandboxes say of these tools, which are by the `id` of the compiled one."""

    def note(tool: CompiledTool, error: ToolboxError | None) -> None:
        judgement.note(asked[id(tool)][1], error)
        note_judged(len(judgement.judged) + len(judgement.unchecked) + len(judgement.faults))

    async def check(opened: QuerySources) -> None:
        await check_tools((tool for tool, _plan in asked.values()), opened, note)

    if asked:
        seconds = _CHECK_WITHIN_S + _LONGEST_CHECK_S * len(asked)
        shared_loop().run(check, sources, timeout_s=seconds)


def judge_cases(
    planned: Iterable[PlannedTool], judgement: Judgement, sources: SourceSettings, username: str
) -> None:
    """Add a fault for each tool with a red test case; those that nobody could check are not run."""
    for plan in planned:
        given = plan.given
        if given.name not in judgement.judged:
            continue
        is_asked = plan.stored and given.cases is None
        rows = list(ToolCase.objects.of(plan.stored, None)) if is_asked else []
        if not rows and not given.cases:
            continue
        try:
            require_green(rows, given.snapshot, sources, username, given=given.cases)
        except RedCasesError as error:
            judgement.faults.append(given.part.fault(error.message, "cases"))
