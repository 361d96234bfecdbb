"""One run of a tool outside of the server, with its time and what a model reads of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from catalog.sources.settings import SourceSettings, require_usable
from core.bindings import CallerFacts
from core.errors import ToolboxError
from core.execution import QuerySources
from core.pictures import picture_tokens
from core.results import Answer
from core.tokens import estimate_tokens
from core.toolspec import ScriptLogic, ToolSpec
from tools.running import run_here
from tools.source_loop import shared_loop
from tools.sources import Sources

_START_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class TimedRun:
    """What one run gave: an answer, or the error in place of it."""

    result: Answer | ToolboxError
    elapsed_ms: float

    @property
    def texts(self) -> tuple[str, ...]:
        """What the agent reads."""
        return self.result.texts if isinstance(self.result, Answer) else (str(self.result),)

    @property
    def tokens(self) -> int:
        """What a model reads of it, estimated."""
        images = self.result.images if isinstance(self.result, Answer) else ()
        return sum(map(estimate_tokens, self.texts)) + len(images) * picture_tokens()


def run_timed(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    sources: SourceSettings,
    facts: CallerFacts,
    *,
    caller: str,
    key: str = "",
    is_counted: bool = True,
    watch: Callable[[QuerySources], QuerySources] = lambda sources: sources,
) -> TimedRun:
    """The outcome of `run_here`, also where the tool refuses, fails or is stopped.

    The rights of the user `caller` on the data source count. The start of script processes takes no
    time of the run: it says nothing of the script.
    """
    began = perf_counter()
    result: Answer | ToolboxError
    try:
        require_usable(sources, spec.logic, caller)
        if isinstance(spec.logic, ScriptLogic):
            shared_loop().run(Sources.script_runner, sources, timeout_s=_START_WITHIN_S)
            began = perf_counter()
        result = run_here(
            spec,
            arguments,
            sources,
            facts,
            caller=caller,
            key=key,
            is_counted=is_counted,
            watch=watch,
        )
    except ToolboxError as failure:
        result = failure
    return TimedRun(result, (perf_counter() - began) * 1_000)
