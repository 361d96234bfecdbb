"""What of a call's arguments may be kept: as the tool and the installation say, and no masked values."""

import re
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from msgspec import Raw

from access.call_arguments import encode_arguments
from catalog.mask_decisions import read_mask_decisions
from core.catalogue.masking import MASK, is_sensitive
from core.execution import CompiledTool
from core.statements.compared_columns import ComparedColumn, find_compared_columns
from core.toolspec import ArgumentsPolicy, SqlLogic
from mcp_runtime.snapshot import ServedTool

# So long at most, an argument is recorded after people masked its column.
REFRESH_INTERVAL_S = 10.0
_MOST_NAMES = 4_096


@dataclass(frozen=True, slots=True)
class _OfTool:
    """A tool's parameters, and those of them whose arguments are masked."""

    tool: CompiledTool
    declared: frozenset[str]
    masked: frozenset[str]


class MaskedNames:
    """Names of arguments whose values are never kept: those of columns that the catalogue masks.

    An argument is masked for its own name, and for that of a column with which the tool's statement
    compares it. What people decided of columns of a name comes before the rule of names.
    """

    def __init__(self) -> None:
        self._decided: dict[str, bool] = {}
        self._known: dict[str, bool] = {}
        # By the tool's id; a tool that was changed since is another one.
        self._of_tools: dict[int, _OfTool] = {}
        self._read_at = float("-inf")

    def find(
        self, arguments: Mapping[str, object], tool: ServedTool | None = None
    ) -> Collection[str]:
        """Those of the arguments of a call of the tool."""
        if not isinstance(tool, CompiledTool):
            return [name for name in arguments if self._is_masked(name)]
        known = self._of_tools.get(tool.spec.id)
        if known is None or known.tool is not tool:
            known = self._of_tools[tool.spec.id] = self._look_at(tool)
        if not known.masked and arguments.keys() <= known.declared:
            return ()
        return [name for name in arguments if name in known.masked or self._is_masked(name)]

    def _look_at(self, tool: CompiledTool) -> "_OfTool":
        compared = _columns_of(tool)
        declared = frozenset(parameter.name for parameter in tool.spec.parameters)
        masked = frozenset(
            name
            for name in declared | compared.keys()
            if self._is_masked(name) or any(map(self._masks, compared.get(name, ())))
        )
        return _OfTool(tool, declared, masked)

    def _masks(self, column: ComparedColumn) -> bool:
        name, tables = column
        by_rule = any(is_sensitive(name, "", table) for table in tables or ("",))
        return self._decided.get(name.lower(), by_rule)

    def refresh(self) -> None:
        """Read what people decided, unless that was just done; one query."""
        if time.monotonic() - self._read_at < REFRESH_INTERVAL_S:
            return
        decided = read_mask_decisions()
        self._read_at = time.monotonic()
        if decided != self._decided:
            self._decided, self._known = decided, {}
            self._of_tools = {}

    def _is_masked(self, name: str) -> bool:
        known = self._known
        if (is_masked := known.get(name)) is None:
            # Names of unknown arguments are the client's.
            if len(known) >= _MOST_NAMES:
                known.clear()
            by_rule = is_sensitive(name, "", "")
            is_masked = known[name] = self._decided.get(name.lower(), by_rule)
        return is_masked


def _columns_of(tool: CompiledTool) -> Mapping[str, Collection[ComparedColumn]]:
    logic = tool.spec.logic
    if not isinstance(logic, SqlLogic):
        return {}
    return find_compared_columns(logic.statement, logic.dialect)


class ArgumentsKeeper:
    """Turns arguments of a call into what is recorded of them."""

    def __init__(self, policy: str, masked: MaskedNames) -> None:
        """`policy` is the installation's: a tool may have less kept, never more."""
        self._policies = {
            own: ArgumentsPolicy.strictest(ArgumentsPolicy(policy), own) for own in ArgumentsPolicy
        }
        self._masked = masked

    def encode(self, arguments: Mapping[str, object], tool: ServedTool | None) -> Raw | None:
        """As JSON; of a call of no tool, whose policy nobody knows, names at most."""
        return encode_arguments(
            arguments, self._policy_of(tool), self._masked.find(arguments, tool)
        )

    def clean(self, error: str, arguments: Mapping[str, object], tool: ServedTool | None) -> str:
        """The text of an error without the values that are not kept."""
        keeps_values = self._policy_of(tool) is ArgumentsPolicy.FULL
        names = self._masked.find(arguments, tool) if keeps_values else arguments
        texts = {text for name in names for text in _texts_in(arguments[name]) if text.strip()}
        if not texts:
            return error
        longest_first = sorted(texts, key=len, reverse=True)
        any_value = "|".join(map(re.escape, longest_first))
        return re.sub(rf"(?<!\w)(?:{any_value})(?!\w)", MASK, error)

    def _policy_of(self, tool: ServedTool | None) -> ArgumentsPolicy:
        if isinstance(tool, CompiledTool):
            return self._policies[tool.spec.record_arguments]
        return self._policies[ArgumentsPolicy.FULL if tool else ArgumentsPolicy.NAMES]


def _texts_in(value: object) -> Iterator[str]:
    """The values as messages write them. An argument may be deeper than a function may call itself."""
    values = [value]
    while values:
        match values.pop():
            case dict() as found:
                values += found.values()
            case list() as found:
                values += found
            case found:
                yield str(found)
