"""The metrics of a runtime: counts of its calls, and what it holds at the moment of a scrape."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from access.calls import Call, CallOrigin
from access.models import Outcome
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.results import Answer
from gateways.telemetry.durations import Durations
from mcp_runtime.caller import EndsCall

if TYPE_CHECKING:
    from mcp_runtime.server import Runtime


_OF_OPERATORS = frozenset({"/healthz", "/metrics"})


def _count_bytes(text: str) -> int:
    # Of a text in ASCII, as most long ones are, nothing has to be written.
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


class CallMetrics:
    """Counts calls by tool. A name that leads to no tool is the client's text, and counted under ''."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str, str], int] = {}
        self._durations = Durations(
            "toolbuilder_call_duration_seconds", "Time from taking a call to its answer.", ["tool"]
        )
        # Of each tool: rows, bytes and truncated answers.
        self._sizes: dict[str, list[int]] = {}

    def began(self, origin: CallOrigin) -> EndsCall:
        """A call is measured by its record, at its end."""
        return partial(self.ended, origin.lane)

    def ended(self, lane: str, record: Call, answer: Answer | None) -> None:
        """Count a call that has ended."""
        outcome = record.outcome
        tool = "" if outcome == Outcome.UNKNOWN_TOOL else record.tool_name
        labels = (tool, outcome, lane)
        self._calls[labels] = self._calls.get(labels, 0) + 1
        self._durations.note((tool,), record.duration_ms / 1_000)
        if answer is not None:
            sizes = self._sizes.get(tool)
            if sizes is None:
                sizes = self._sizes[tool] = [0, 0, 0]
            sizes[0] += answer.row_count or 0
            sizes[1] += sum(map(_count_bytes, answer.texts))
            sizes[2] += answer.truncated

    def families(self) -> Iterator[Metric]:
        """What was counted since the start; from any thread."""
        calls = CounterMetricFamily(
            "toolbuilder_calls", "Calls that ended.", labels=["tool", "outcome", "lane"]
        )
        for labels, count in list(self._calls.items()):
            calls.add_metric([str(label) for label in labels], count)
        yield calls
        yield self._durations.family()
        texts = {
            "toolbuilder_answer_rows": "Rows in answers.",
            "toolbuilder_answer_bytes": "Bytes of the texts of answers, in UTF-8.",
            "toolbuilder_answers_truncated": "Answers from which rows or text were left out.",
        }
        sizes = list(self._sizes.items())
        for place, (name, text) in enumerate(texts.items()):
            family = CounterMetricFamily(name, text, labels=["tool"])
            for tool, numbers in sizes:
                family.add_metric([tool], numbers[place])
            yield family


class RefusalCounts:
    """ASGI middleware: counts answers of a status from 400 on, but for those that only operators ask for."""

    def __init__(self, app: ASGIApp, counts: dict[int, int]) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") in _OF_OPERATORS:
            await self._app(scope, receive, send)
            return

        async def count(event: Message) -> None:
            if event["type"] == "http.response.start" and (status := event["status"]) >= 400:
                self._counts[status] = self._counts.get(status, 0) + 1
            await send(event)

        await self._app(scope, receive, count)


class RuntimeMetrics:
    """All that a runtime tells Prometheus."""

    def __init__(self, runtime: "Runtime") -> None:
        self.calls = CallMetrics()
        # By HTTP status.
        self.refusals: dict[int, int] = {}
        self._runtime = runtime

    def collect(self) -> Iterator[Metric]:
        """The families of a scrape; from any thread."""
        yield from self.calls.families()
        runtime, snapshot = self._runtime, self._runtime.store.snapshot
        sessions = runtime.session_count
        gauges = {
            "calls_in_flight": ("Calls that are running.", runtime.caller.running),
            "sessions": ("Sessions of protocols before 2026-07-28.", sessions),
            "registry_revision": ("The revision of the tools that are served.", snapshot.revision),
            "tools": ("Tools that are served, without the built-in ones.", len(snapshot.tools)),
            "quarantined_tools": ("Active tools not served.", len(snapshot.quarantined)),
            "database_up": ("1 while the registry can be read.", int(not runtime.database_is_away)),
        }
        for name, (text, value) in gauges.items():
            yield GaugeMetricFamily(f"toolbuilder_{name}", text, value)
        resting = GaugeMetricFamily(
            "toolbuilder_tool_rests", "1 for a tool that rests after errors.", labels=["tool"]
        )
        for tool in runtime.breakers.open_tools(snapshot.tools):
            resting.add_metric([tool], 1)
        yield resting
        yield CounterMetricFamily(
            "toolbuilder_call_records_dropped",
            "Call records that were lost: the database was away for too long.",
            runtime.recorder.dropped,
        )
        refused = CounterMetricFamily(
            "toolbuilder_requests_refused",
            "Requests that were refused before a tool was asked, as for their key.",
            labels=["status"],
        )
        for status, count in list(self.refusals.items()):
            refused.add_metric([str(status)], count)
        yield refused
        yield from self._pools()

    def _pools(self) -> Iterator[Metric]:
        texts = {
            "size": "Connections that a data source may have.",
            "in_use": "Connections with a call on them.",
            "waiting": "Calls that wait for a connection.",
        }
        states = list(self._runtime.sources.pool_states())
        for place, (name, text) in enumerate(texts.items()):
            family = GaugeMetricFamily(f"toolbuilder_pool_{name}", text, labels=["source"])
            for source, state in states:
                family.add_metric([source or DEFAULT_SOURCE_NAME], state[place])
            yield family
