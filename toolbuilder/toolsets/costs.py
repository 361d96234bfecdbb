"""What a toolset holds and what its list costs a model, in tokens."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.grants import ToolsetSpec
from core.tool_entry import make_entry
from core.toolspec import HttpLogic, SqlLogic
from toolbuilder.toolsets.offering import BUILTIN, KIND_LABELS, PROXIED
from tools.builtin.search_tools import UNFOUND
from tools.builtin.tool import BuiltinTool
from tools.finding.index import FindableTool
from tools.models import ToolType

BAR_WIDTH = 240


@dataclass(frozen=True, slots=True)
class CostPart:
    """The tools of one kind: how many, their tokens, and where they are on a bar of 240."""

    kind: str
    count: int
    tokens: int
    start: str = "0"
    width: str = "0"

    @property
    def label(self) -> str:
        """What people call the kind."""
        return str(KIND_LABELS[self.kind])


@dataclass(frozen=True, slots=True)
class ToolsetCost:
    """The served tools of a toolset, the names that nothing is served by, and the tokens of its list.

    `search_tokens` is the cost of the tools that search and call alone, 0 if they are not in it.
    """

    members: frozenset[str]
    missing: tuple[str, ...]
    tokens: int
    search_tokens: int
    parts: tuple[CostPart, ...]


def count_tokens(tool: FindableTool) -> int:
    """About how many tokens a model reads of the tool where it is listed."""
    return make_entry(tool.spec, tool.input_schema, {}).tokens  # type: ignore[arg-type]


def read_cost(
    spec: ToolsetSpec, served: Mapping[str, FindableTool], known: Mapping[str, int] | None = None
) -> ToolsetCost:
    """What the toolset costs; `known` are tokens that were counted already, by name."""
    members = {name for name, tool in served.items() if spec.holds(name, tool.spec.tags)}
    tokens = {name: count_tokens(served[name]) for name in members} if known is None else known
    by_kind: dict[str, list[str]] = {kind: [] for kind in KIND_LABELS}
    for name in members:
        by_kind[kind_of(served[name])].append(name)
    total, parts, start = sum(tokens[name] for name in members), list[CostPart](), 0.0
    for kind, names in by_kind.items():
        cost = sum(tokens[name] for name in names)
        width = cost * BAR_WIDTH / max(total, 1)
        if names:
            parts.append(CostPart(kind, len(names), cost, f"{start:.1f}", f"{width:.1f}"))
        start += width
    search_tokens = sum(tokens[name] for name in UNFOUND) if members >= UNFOUND else 0
    missing = tuple(sorted(spec.tools - served.keys()))
    return ToolsetCost(frozenset(members), missing, total, search_tokens, tuple(parts))


def read_costs(
    specs: Collection[ToolsetSpec], served: Mapping[str, FindableTool]
) -> dict[str, ToolsetCost]:
    """Of several toolsets, by name; each tool is counted once."""
    known = {
        name: count_tokens(tool)
        for name, tool in served.items()
        if any(spec.holds(name, tool.spec.tags) for spec in specs)
    }
    return {spec.name: read_cost(spec, served, known) for spec in specs}


def kind_of(tool: FindableTool) -> str:
    """The kind of a served tool, as KIND_LABELS has it."""
    if isinstance(tool, BuiltinTool):
        return BUILTIN
    match getattr(tool.spec, "logic", None):
        case None:
            return PROXIED
        case SqlLogic():
            return ToolType.SQL
        case HttpLogic():
            return ToolType.HTTP
    return ToolType.PYTHON
