"""What the editor shows of an HTTP tool: its request, the part that is kept, and what a test run sent."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from django.utils.translation import gettext as _

from access.reader_language import in_language
from catalog.models import Authentication, DataSource, ServiceSecret
from core.analysis import Analysis
from core.diagnostics import Severity
from core.errors import ToolboxError
from core.http_answers import decode
from core.http_calls import CallLimits, shape_answer
from core.http_checks import explain_missing_secret
from core.http_logic import read_operation
from core.ingest.operations import SECRET
from core.json_text import encode_json
from core.toolspec import Binding, JsonValue
from toolbuilder.editing.http_exchanges import HttpExchange, SecretPlace, read_value, write_curl
from toolbuilder.editing.http_form import HttpFields, ValueRow, read_fields
from tools.definitions import ParameterDocument, ToolDocument

PARTS = ("path", "query", "headers", "body", "paging", "retries", "keep")
SHOWN_CHARACTERS = 100_000
_SHOWN_FIELDS = 12
_TREE_ITEMS = 40
_TREE_DEPTH = 6


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A value, and when it is sent."""

    name: str = ""
    value: str = ""
    sent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPreview:
    """What is kept of the last answer: sizes in characters before and after, or why nothing is."""

    before: int = 0
    after: int = 0
    row_count: int | None = None
    names: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerField:
    """A field of the last answer: `path` leads to it, `text` is its value or what it is."""

    name: str
    path: str
    text: str
    kind: str
    children: tuple["AnswerField", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRequest:
    """The request as the fields show it; `faults` by part, `sent` says by argument when it is sent."""

    fields: HttpFields
    query: tuple[ShownRow, ...] = ()
    headers: tuple[ShownRow, ...] = ()
    faults: Mapping[str, str]
    sent: Mapping[str, str]
    kept: KeptPreview | None = None
    tree: tuple[AnswerField, ...] = ()


def show_request(tool: ToolDocument, analysis: Analysis, last_answer: str) -> ShownRequest:
    """The request of the tool, and what it keeps of the last answer."""
    fields = read_fields(tool.definition)
    sent = {row.param_name: _say_when(row) for row in tool.parameters}
    faults = {
        found.code.removeprefix("http-"): in_language(found.message)
        for found in reversed(analysis.diagnostics)
        if found.severity is Severity.ERROR and found.code.startswith("http-")
    }
    named = {name for row in fields.headers for name in SECRET.findall(row.value)}
    if named:
        kept = ServiceSecret.objects.filter(source__name=tool.data_source, name__in=named)
        if missing := sorted(named - set(kept.values_list("name", flat=True))):
            faults.setdefault("headers", in_language(explain_missing_secret(missing[0])))
    answer = json.loads(last_answer) if last_answer else None
    return ShownRequest(
        fields=fields,
        query=_show_rows(fields.query, sent),
        headers=_show_rows(fields.headers, sent),
        faults=faults,
        sent=sent,
        # A request that cannot be read says nothing of the answer.
        kept=preview_kept(tool, answer, len(last_answer)) if last_answer and not faults else None,
        tree=_branch(answer, "", 0) if last_answer else (),
    )


def preview_kept(tool: ToolDocument, answer: JsonValue, size: int) -> KeptPreview:
    """What the tool would keep of this answer."""
    limits = CallLimits(
        row_limit=tool.row_limit, byte_limit=tool.byte_limit, timeout_ms=tool.timeout_ms
    )
    try:
        shaped = shape_answer(read_operation(tool.definition).keep, answer, limits)
    except ToolboxError as error:
        return KeptPreview(before=size, error=in_language(error))
    rows = shaped.structured.get("result")
    is_rows = isinstance(rows, list)
    first = rows[0] if isinstance(rows, list) and rows else shaped.structured
    names = tuple(first)[:_SHOWN_FIELDS] if isinstance(first, dict) else ()
    return KeptPreview(
        before=size,
        after=len(shaped.texts[0]),
        row_count=len(rows) if isinstance(rows, list) else None,
        names=names if is_rows or "result" not in names else (),
    )


def secret_place(source: DataSource | None) -> SecretPlace:
    """Where the service's secret is sent, under the name of its variable or one made of the service's."""
    if source is None or source.authentication == Authentication.NONE:
        return SecretPlace()
    is_exchanged = source.authentication == Authentication.CLIENT_CREDENTIALS
    reference = "" if is_exchanged else source.password_reference
    given = reference.partition(":")[2].rpartition("/")[2] or f"{source.name}_TOKEN"
    name = re.sub(r"\W", "_", given).upper()
    match source.authentication:
        case Authentication.HEADER:
            return SecretPlace(header=source.authentication_name, name=name)
        case Authentication.QUERY:
            return SecretPlace(parameter=source.authentication_name, name=name)
        case Authentication.BASIC:
            return SecretPlace(header="Authorization", prefix="Basic ", name=name)
    return SecretPlace(header="Authorization", prefix="Bearer ", name=name)


@dataclass(frozen=True, slots=True)
class ShownHeader:
    """A header of a request; `secret` is the name of what is put in behind the value."""

    name: str
    value: str
    secret: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExchange:
    """One request and its answer as the result pane shows them; `status` is 0 if there is no answer."""

    method: str
    url: str
    query: str
    headers: tuple[ShownHeader, ...]
    body: str
    curl: str
    status: int = 0
    phrase: str = ""
    content_type: str = ""
    size: int = 0
    answer: str = ""
    is_cut: bool = False
    error: str = ""

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def show_exchanges(
    exchanges: Sequence[HttpExchange], secret: SecretPlace
) -> tuple[ShownExchange, ...]:
    """The exchanges of a test run in order."""
    return tuple(_show_exchange(exchange, secret) for exchange in exchanges)


def _show_exchange(exchange: HttpExchange, secret: SecretPlace) -> ShownExchange:
    request, answer = exchange.request, exchange.answer
    headers = [ShownHeader(name, value) for name, value in request.headers.items()]
    for name, text in request.secret_headers.items():
        # The text around the secret, then the secret's name.
        headers.append(ShownHeader(name, SECRET.sub("", text), ", ".join(SECRET.findall(text))))
    if request.content_type:
        headers.append(ShownHeader("Content-Type", request.content_type))
    if secret.header:
        headers.append(ShownHeader(secret.header, secret.prefix, secret.name))
    query = request.query
    if secret.parameter:
        query = "&".join(filter(None, [query, f"{secret.parameter}=${secret.name}"]))
    shown = ShownExchange(
        method=request.method,
        url=request.url,
        query=query,
        headers=tuple(headers),
        body=_indent_text(request.body.decode("utf-8", "replace")),
        curl=write_curl(request, secret),
    )
    if answer is None:
        return replace(shown, error=in_language(exchange.error or ""))
    value = read_value(answer)
    text = decode(answer) if isinstance(value, str) else _indent(value)
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = ""
    return replace(
        shown,
        status=answer.status,
        phrase=phrase,
        content_type=answer.content_type.partition(";")[0],
        size=len(answer.body),
        answer=text[:SHOWN_CHARACTERS],
        is_cut=answer.is_cut or len(text) > SHOWN_CHARACTERS,
    )


def _show_rows(rows: Sequence[ValueRow], sent: Mapping[str, str]) -> tuple[ShownRow, ...]:
    """The rows, and an empty one to write into."""
    shown = []
    for row in rows:
        words = [sent.get(name, "") for name in row.names]
        when = max(words, key=len, default=_("fixed"))
        shown.append(ShownRow(row.name, row.value, when))
    return (*shown, ShownRow())


def _say_when(row: ParameterDocument) -> str:
    if row.is_required or row.binding != Binding.AGENT:
        return _("always")
    if row.default is None:
        return _("only when given")
    return _("always, default %(value)s") % {"value": encode_json(row.default).decode()[:40]}


def _branch(value: JsonValue, path: str, depth: int) -> tuple[AnswerField, ...]:
    """The fields of the value; of a list those of its first item.

    The path of a list ends in [], so that it stays one where only one item is found.
    """
    if isinstance(value, list):
        value, path = (value[0] if value else None), f"{path}[]"
    if not isinstance(value, dict) or depth > _TREE_DEPTH:
        return ()
    fields = []
    for name, part in list(value.items())[:_TREE_ITEMS]:
        is_plain = name.isidentifier()
        step = (f".{name}" if path else name) if is_plain else f'["{name}"]'
        if isinstance(part, dict):
            text, kind = _("object"), "object"
        elif isinstance(part, list):
            text, kind = _("list of %(count)s") % {"count": len(part)}, "list"
        else:
            text, kind = json.dumps(part, ensure_ascii=False)[:60], "value"
        fields.append(
            AnswerField(
                name=name,
                path=path + step + ("[]" if kind == "list" else ""),
                text=text,
                kind=kind,
                children=_branch(part, path + step, depth + 1),
            )
        )
    return tuple(fields)


def _indent(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _indent_text(text: str) -> str:
    try:
        return _indent(json.loads(text)) if text else ""
    except (ValueError, RecursionError):
        return text
