"""The trace that the running call belongs to, as W3C Trace Context writes it, for whatever it asks next."""

import re
from contextvars import ContextVar

# Of the current span, '' where nothing is traced.
TRACEPARENT: ContextVar[str] = ContextVar("traceparent", default="")
_FORM = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


def read_traceparent(value: object) -> str:
    """The value where it is well formed, else ''; another version than 00 is unknown here."""
    return value if isinstance(value, str) and _FORM.fullmatch(value) else ""


def trace_comment() -> str:
    """The SQL comment by which a database's own log shows the trace; '' where the call is not sampled."""
    traceparent = TRACEPARENT.get()
    is_sampled = traceparent and int(traceparent[-2:], 16) & 1
    # It becomes part of a statement: no other text than of this form ever does.
    return (
        f" /*traceparent='{traceparent}'*/" if is_sampled and _FORM.fullmatch(traceparent) else ""
    )
