"""Spans and the traceparents that name them."""

from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, TraceFlags, set_span_in_context


def find_parent(traceparent: str) -> Context:
    """The context of a well-formed traceparent; an empty one without."""
    if not traceparent:
        return Context()
    _, trace_id, span_id, flags = traceparent.split("-")
    parent = SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
    return set_span_in_context(NonRecordingSpan(parent), Context())


def write_traceparent(span: Span) -> str:
    """The span as a traceparent."""
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
