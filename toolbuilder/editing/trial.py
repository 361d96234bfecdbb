"""The editor's test run of a tool: the same code, caps, role and deadline as a call by an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.sources.settings import SourceSettings, require_usable
from core.bindings import CallerFacts
from core.errors import ToolboxError
from core.execution import CompiledTool
from core.messages import Message, message
from core.plans.tree import QueryPlan
from core.results import Row, output_schema
from core.tool_entry import make_entry
from core.toolspec import JsonValue, ScriptLogic, SqlLogic, ToolSpec
from toolbuilder.editing.http_exchanges import HttpExchange, WatchedSources
from tools.running import DEADLINE_MARGIN_S
from tools.source_loop import shared_loop
from tools.sources import Sources
from tools.timed_runs import run_timed

_SLOW_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a test run gave.

    `error` is None, or what the agent would read in English. `columns` and `rows` are a query's, in every
    format; `texts` and `structured` are what the agent gets, in the tool's own. `tokens` is the
    estimate for what a model reads of it. `advice` is for the author, of a script that is slow.
    `exchanges` are what went between an HTTP tool and its service.
    """

    error: Message | None = None
    columns: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    truncated: bool = False
    structured: dict[str, Any] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    images: tuple[bytes, ...] = ()
    tokens: int = 0
    elapsed_ms: float = 0.0
    advice: Message | None = None
    exchanges: tuple[HttpExchange, ...] = ()


def run_trial(
    spec: ToolSpec,
    arguments: Mapping[str, JsonValue],
    sources: SourceSettings,
    caller: "TrialCaller",
) -> Trial:
    """The outcome of one call with these arguments; an argument that is not there is absent.

    What the tool refuses or fails at is the trial's `error`. It can be stopped by `stop_trial`.
    """
    exchanges: list[HttpExchange] = []
    run = run_timed(
        spec,
        arguments,
        sources,
        caller.facts,
        caller=caller.username,
        key=caller.key,
        watch=lambda opened: WatchedSources(opened, exchanges),
    )
    is_script = isinstance(spec.logic, ScriptLogic)
    trial = Trial(
        texts=run.texts,
        tokens=run.tokens,
        elapsed_ms=run.elapsed_ms,
        advice=advise_on_time(spec, run.elapsed_ms) if is_script else None,
        exchanges=tuple(exchanges),
    )
    if isinstance(run.result, ToolboxError):
        return replace(trial, error=run.result.message)
    trial = replace(trial, structured=run.result.structured, images=run.result.images)
    if query := run.result.result:
        trial = replace(
            trial,
            columns=query.columns,
            rows=query.rows,
            notes=query.notes,
            truncated=query.truncated,
        )
    return trial


def advise_on_time(spec: ToolSpec, elapsed_ms: float) -> Message | None:
    """Advice on a script that took more than a second or half of its time limit."""
    if elapsed_ms <= min(_SLOW_MS, spec.timeout_ms / 2):
        return None
    return message(
        "trial.slow_script",
        "this script took {elapsed} ms of at most {limit} ms; a query, or a function such as sum_by(),"
        " is faster than a loop",
        elapsed=round(elapsed_ms),
        limit=spec.timeout_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCaller:
    """Who tries, as whom: `username` needs the right to the data source, `facts` bind parameters.

    `token` is any text of the page, under which the same user can stop the run.
    """

    username: str
    facts: CallerFacts = field(default_factory=CallerFacts)
    token: str = ""

    @property
    def key(self) -> str:
        return f"{self.username}\0{self.token}" if self.token else ""


def stop_trial(username: str, token: str) -> bool:
    """Stop the user's trial of that token; False if none runs in this process."""
    return bool(token) and shared_loop().stop(TrialCaller(username=username, token=token).key)


def explain_plan(
    spec: ToolSpec,
    arguments: Mapping[str, JsonValue],
    sources: SourceSettings,
    caller: TrialCaller,
) -> QueryPlan:
    """The database's plan of a SQL tool's query with these arguments; the query is not run.

    Raises ToolboxError.
    """
    if not isinstance(spec.logic, SqlLogic):
        return QueryPlan((), "")
    tool, name = CompiledTool(spec), spec.logic.data_source
    require_usable(sources, spec.logic, caller.username)
    values = tool.validate(arguments, caller.facts)
    query = tool.query_for(values, caller.username, caller.facts)

    async def explain(opened: Sources) -> QueryPlan:
        return await opened.get(name).explain(query)

    timeout_s = spec.timeout_ms / 1_000 + DEADLINE_MARGIN_S
    return shared_loop().run(explain, sources, timeout_s=timeout_s, key=caller.key)


def list_entry(spec: ToolSpec) -> tuple[dict[str, Any], int]:
    """The exact entry of `tools/list`, and how many tokens a model reads of it.

    Raises DefinitionError for a tool that could not be served.
    """
    entry = make_entry(spec, CompiledTool(spec).input_schema, output_schema(spec))
    return entry.to_json(), entry.tokens
