"""Data sources and services whose questions are spans of the call that asks."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span
from opentelemetry.util.types import AttributeValue

from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.execution import Query, QuerySource, ScriptRunner
from core.http_answers import HttpAnswer
from core.http_calls import HttpService
from core.ingest.requests import PlainRequest
from core.results import QueryResult
from core.statement import CompiledStatement, make_lexer
from core.statements.tokens import TokenKind, read_tokens
from core.toolspec import Dialect, ParameterType
from core.trace_context import TRACEPARENT
from gateways.engines import engine_of
from gateways.telemetry.parents import write_traceparent
from tools.sources import Sources

_NUMBERED = re.compile(r"\$(\d+)")
_SECRET = frozenset({TokenKind.TEXT, TokenKind.VALUE})


@lru_cache(1_024)
def hide_literals(sql: str, dialect: Dialect) -> str:
    """The statement with `?` for each text, number and parameter, and without comments.

    Agents write statements too, and what stands in them is as private as arguments are.
    """
    # The lexer knows the parameters that people write.
    text = _NUMBERED.sub(r":p\1", sql)
    pieces, end = [], 0
    for token in read_tokens(make_lexer(text, dialect)):
        gap = " " if token.start > end and end else ""
        shown = "?" if token.kind in _SECRET else text[token.start : token.end]
        pieces.append(gap + shown)
        end = token.end
    return "".join(pieces)


class TracedSources:
    """The sources of a runtime, for its calls."""

    def __init__(self, sources: Sources, tracer: Tracer) -> None:
        self._sources, self._tracer = sources, tracer

    def get(self, name: str | None) -> QuerySource:
        """As `Sources.get`; traced if the call is."""
        source = self._sources.get(name)
        settings = self._sources.settings_of(name)
        if settings is None or not get_current_span().is_recording():
            return source
        dialect = engine_of(settings).dialect
        named: dict[str, str] = {
            "db.system.name": dialect.value,
            "db.namespace": getattr(settings, "database", name or DEFAULT_SOURCE_NAME),
        }
        named["toolbuilder.data_source"] = name or DEFAULT_SOURCE_NAME
        return _TracedSource(source, self._tracer, dialect, named)

    def service(self, name: str | None) -> HttpService:
        """As `Sources.service`; traced if the call is."""
        service = self._sources.service(name)
        if not get_current_span().is_recording():
            return service
        return _TracedService(service, self._tracer, name or "")

    async def script_runner(self) -> ScriptRunner:
        """As `Sources.script_runner`."""
        return await self._sources.script_runner()


class _TracedSource:
    def __init__(
        self,
        source: QuerySource,
        tracer: Tracer,
        dialect: Dialect,
        named: Mapping[str, str],
    ) -> None:
        self._source, self._tracer, self._dialect = source, tracer, dialect
        self._named = named

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        await self._source.check(statement, types, caller)

    async def run(self, query: Query) -> QueryResult:
        text = hide_literals(query.statement.sql, self._dialect)
        operation = text.partition(" ")[0].upper()
        attributes = {"db.operation.name": operation, "db.query.text": text, **self._named}
        with _client_span(
            self._tracer, f"{operation} {self._named['toolbuilder.data_source']}", attributes
        ) as span:
            result = await self._source.run(query)
            span.set_attribute("db.response.returned_rows", len(result.rows))
            return result


class _TracedService:
    def __init__(self, service: HttpService, tracer: Tracer, name: str) -> None:
        self._service, self._tracer, self._name = service, tracer, name

    @property
    def server_url(self) -> str:
        return self._service.server_url

    async def send(
        self, request: PlainRequest, *, byte_limit: int, timeout_ms: int, caller: str = ""
    ) -> HttpAnswer:
        attributes = {"http.request.method": request.method, "toolbuilder.data_source": self._name}
        with _client_span(self._tracer, f"{request.method} {self._name}", attributes) as span:
            answer = await self._service.send(
                request, byte_limit=byte_limit, timeout_ms=timeout_ms, caller=caller
            )
            span.set_attribute("http.response.status_code", answer.status)
            if answer.status >= 400:
                span.set_attribute("error.type", str(answer.status))
                span.set_status(Status(StatusCode.ERROR))
            return answer


@contextmanager
def _client_span(
    tracer: Tracer, name: str, attributes: Mapping[str, AttributeValue]
) -> Iterator[Span]:
    """A span of what is asked, which is handed on with the question; its texts may hold values and stay."""
    span = tracer.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
    named = TRACEPARENT.set(write_traceparent(span))
    try:
        yield span
    except BaseException as error:
        span.set_attribute("error.type", type(error).__name__)
        span.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        TRACEPARENT.reset(named)
        span.end()
