"""Spans and durations of calls, named as the semantic conventions for MCP have them."""

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.util.types import AttributeValue

from access.calls import Call, CallOrigin
from access.models import Outcome
from core.results import Answer
from core.trace_context import TRACEPARENT
from gateways.telemetry.otlp import TelemetryExport
from gateways.telemetry.parents import find_parent, write_traceparent
from mcp_runtime.caller import EndsCall

METHOD = "tools/call"


class CallTraces:
    """A span for each call, as a child of what `_meta` names, and its duration."""

    def __init__(self, export: TelemetryExport) -> None:
        self._tracer, self._durations = export.tracer, export.durations

    def began(self, origin: CallOrigin) -> EndsCall:
        """The call has a span from here on, which what it asks can see."""
        parent = find_parent(origin.traceparent)
        span = self._tracer.start_span(METHOD, parent, SpanKind.SERVER)
        named = TRACEPARENT.set(write_traceparent(span))
        current = attach(set_span_in_context(span, Context())) if span.is_recording() else None

        def ended(record: Call, answer: Answer | None) -> None:
            TRACEPARENT.reset(named)
            if current is not None:
                detach(current)
            self._end(span, origin, record, answer)

        return ended

    def _end(self, span: Span, origin: CallOrigin, record: Call, answer: Answer | None) -> None:
        attributes: dict[str, AttributeValue] = {"mcp.method.name": METHOD}
        if origin.lane:
            attributes["network.transport"] = "tcp"
            attributes["mcp.protocol.version"] = origin.protocol
        # The name of an unknown tool is the client's text, of which there may be any number.
        is_known = record.outcome != Outcome.UNKNOWN_TOOL
        if is_known:
            attributes["gen_ai.tool.name"] = record.tool_name
        if record.outcome != Outcome.OK:
            attributes["error.type"] = "tool_error"
        self._durations.record(record.duration_ms / 1_000, attributes)
        if not span.is_recording():
            return
        if is_known:
            span.update_name(f"{METHOD} {record.tool_name}")
        if record.outcome != Outcome.OK:
            # Without the text of the error, which may hold values.
            span.set_status(Status(StatusCode.ERROR))
        attributes |= {
            "gen_ai.operation.name": "execute_tool",
            "toolbuilder.outcome": str(record.outcome),
            "toolbuilder.key_id": record.key_id,
            "toolbuilder.request_id": record.request_id,
            "toolbuilder.revision": record.revision,
        }
        if origin.lane:
            attributes["jsonrpc.request.id"] = str(origin.rpc_id)
            attributes["toolbuilder.lane"] = origin.lane
        if origin.session:
            attributes["mcp.session.id"] = origin.session
        if answer is not None:
            attributes["toolbuilder.truncated"] = answer.truncated
        span.set_attributes(attributes)
        span.end()
