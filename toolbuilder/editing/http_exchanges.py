"""What goes between a tool and its HTTP service in a test run: seen beside the run, without secrets."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from shlex import quote

from core.errors import DataSourceError, ToolboxError
from core.execution import QuerySource, QuerySources, ScriptRunner
from core.http_answers import HttpAnswer, answer_value, decode, is_json
from core.http_calls import HttpService
from core.ingest.operations import SECRET
from core.ingest.requests import PlainRequest
from core.messages import Message
from core.results import Row
from core.toolspec import JsonValue

# What means something between double quotes.
_SHELL = re.compile(r'["$`\\]')
KEPT_CHARACTERS = 200_000
MAX_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class HttpExchange:
    """One request and what came back: an answer, with any status, or the reason why there is none."""

    request: PlainRequest
    answer: HttpAnswer | None = None
    error: Message | None = None


@dataclass(frozen=True, slots=True)
class WatchedSources:
    """Sources whose services note each exchange in `exchanges`, in order."""

    sources: QuerySources
    exchanges: list[HttpExchange] = field(default_factory=list)

    def get(self, name: str | None) -> QuerySource:
        return self.sources.get(name)

    def service(self, name: str | None) -> HttpService:
        return _WatchedService(self.sources.service(name), self.exchanges)

    async def script_runner(self) -> ScriptRunner:
        return await self.sources.script_runner()


@dataclass(frozen=True, slots=True)
class _WatchedService:
    service: HttpService
    exchanges: list[HttpExchange]

    @property
    def server_url(self) -> str:
        return self.service.server_url

    async def send(
        self, request: PlainRequest, *, byte_limit: int, timeout_ms: int, caller: str = ""
    ) -> HttpAnswer:
        try:
            answer = await self.service.send(
                request, byte_limit=byte_limit, timeout_ms=timeout_ms, caller=caller
            )
        except ToolboxError as error:
            self.exchanges.append(HttpExchange(request, error=error.message))
            raise
        self.exchanges.append(HttpExchange(request, answer))
        return answer


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """Where a service's secret is sent: a header with the word before it, or a parameter; and its name here."""

    header: str = ""
    prefix: str = ""
    parameter: str = ""
    name: str = ""


def write_curl(request: PlainRequest, secret: SecretPlace) -> str:
    """The request as a curl command; the secret is a variable of the shell, so that it is in no history."""
    url = f"{request.url}?{request.query}" if request.query else request.url
    if secret.parameter:
        joint = "&" if "?" in url else "?"
        lines = [f'curl {quote(url)}"{joint}{secret.parameter}=${secret.name}"']
    else:
        lines = [f"curl {quote(url)}"]
    if request.method != "GET":
        lines.append(f"-X {request.method}")
    if secret.header:
        lines.append(f'-H "{secret.header}: {secret.prefix}${secret.name}"')
    for name, text in request.secret_headers.items():
        shown = SECRET.sub(lambda found: f"${found[1].upper()}", _SHELL.sub(r"\\\g<0>", text))
        lines.append(f'-H "{name}: {shown}"')
    headers: Mapping[str, str] = request.headers
    if request.content_type:
        headers = {**headers, "Content-Type": request.content_type}
    lines += [f"-H {quote(f'{name}: {value}')}" for name, value in headers.items()]
    if request.body:
        lines.append(f"--data-raw {quote(request.body.decode('utf-8', 'replace'))}")
    return " \\\n  ".join(lines)


def answer_to_keep(exchanges: list[HttpExchange]) -> str:
    """The value of the first good answer as JSON text; '' if there is none or it is too long.

    The last one of several pages often has nothing on it.
    """
    for exchange in exchanges:
        answer = exchange.answer
        if answer is None or answer.status >= 300 or answer.is_cut:
            continue
        try:
            value = answer_value(answer, KEPT_CHARACTERS)
        except DataSourceError:
            value = decode(answer)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text if len(text) <= KEPT_CHARACTERS and "\\u0000" not in text else ""
    return ""


def read_value(answer: HttpAnswer) -> JsonValue:
    """The body as JSON says it, or else as text."""
    text = decode(answer)
    if is_json(answer):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def find_rows(structured: Mapping[str, JsonValue]) -> tuple[tuple[str, ...], list[Row]] | None:
    """The columns and rows of an answer that is a list of objects, None for another one."""
    items = structured.get("result") if structured.keys() == {"result"} else None
    if not isinstance(items, list) or not items or not all(isinstance(x, dict) for x in items):
        return None
    columns = tuple(dict.fromkeys(str(name) for item in items for name in item))[:MAX_COLUMNS]
    return columns, [tuple(item.get(name) for name in columns) for item in items]
