"""Many tools judged at once, as publishing judges one: names, data sources, logic and what the databases say."""

from collections.abc import Iterable
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
from toolbuilder.reviews.rules import explain_need, find_reviewing
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
    planned: Iterable[PlannedTool], username: str, *, accepts_red: bool, is_reviewed: bool
) -> Judgement:
    """What is wrong with the tools; the rights of `username` on their data sources count.

    Without `accepts_red` a red test case is a fault, without `is_reviewed` a toolset that asks for a review.
    """
    judgement, sources = Judgement(), read_sources()
    taken = read_reserved_names() | read_proxied_names()
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
            if not is_reviewed and (names := find_reviewing(plan.stored, snapshot)):
                raise explain_need(names)
        except (DefinitionError, ReviewNeededError) as error:
            judgement.note(plan, error)
            continue
        if isinstance(spec.logic, ExpressionLogic):
            judgement.note(plan)
        else:
            asked[id(tool)] = tool, plan

    async def check(opened: QuerySources) -> None:
        await check_tools(
            (tool for tool, _plan in asked.values()),
            opened,
            lambda tool, error: judgement.note(asked[id(tool)][1], error),
        )

    if asked:
        seconds = _CHECK_WITHIN_S + _LONGEST_CHECK_S * len(asked)
        shared_loop().run(check, sources, timeout_s=seconds)
    if not accepts_red:
        judge_cases(listed, judgement, sources, username)
    judgement.faults.sort()
    return judgement


def judge_cases(
    planned: Iterable[PlannedTool], judgement: Judgement, sources: SourceSettings, username: str
) -> None:
    """Add a fault for each tool with a red test case; those that nobody could check are not run."""
    for plan in planned:
        given = plan.given
        if given.name not in judgement.judged:
            continue
        rows = list(ToolCase.objects.of(plan.stored, None))
        try:
            require_green(rows, given.snapshot, sources, username, given=given.cases)
        except RedCasesError as error:
            judgement.faults.append(given.part.fault(error.message, "cases"))
