"""One call of an HTTP tool: its request, sent again where that is right, its pages, and what is kept."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from msgspec import structs

from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    EvaluationError,
)
from core.http_answers import HttpAnswer, answer_value, is_xml, service_answer
from core.ingest.operations import Operation
from core.ingest.requests import PlainRequest, build_request
from core.kept_parts import Keep, explain_missing
from core.messages import message
from core.paging import PageAddress, first_page, items_of, join_pages, next_page
from core.results import Answer, value_answer
from core.toolspec import JsonValue

# Of an answer of which only a part is kept; the service has a ceiling of its own.
WHOLE_ANSWER_BYTES = 10_000_000
# Of XML, which takes ten times as long to read as JSON.
_LONG_BYTES = 50_000
# What a server says that may well be able to answer a moment later, RFC 9110 and RFC 6585.
_PASSING = frozenset({429, 502, 503, 504})
_FIRST_PAUSE_S = 0.2


class HttpService(Protocol):
    """One HTTP service, to which an administrator has given an address and credentials."""

    @property
    def server_url(self) -> str: ...

    async def send(
        self, request: PlainRequest, *, byte_limit: int, timeout_ms: int, caller: str = ""
    ) -> HttpAnswer:
        """What it says, an error status among it. Raises DataSourceError, DeadlineExceededError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """The caps of one call, all its pages and attempts together."""

    row_limit: int
    byte_limit: int
    timeout_ms: int


class HttpCall:
    """A call on behalf of `caller`, whose time begins now; callers of one service take turns."""

    def __init__(self, service: HttpService, limits: CallLimits, caller: str = "") -> None:
        self._service, self._limits, self._caller = service, limits, caller
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + limits.timeout_ms / 1_000

    async def run(self, operation: Operation, values: Mapping[str, JsonValue]) -> Answer:
        """The tool's answer. Raises ToolboxError with a text for the agent."""
        request = build_request(operation, values, server_url=self._service.server_url)
        limits = self._limits
        if operation.paging is None and operation.keep is None:
            answer = await self._send(request, operation.retries, limits.byte_limit)
            return service_answer(answer, limits.byte_limit)
        notices: list[str] = []
        if operation.paging is None:
            answer = await self._send(request, operation.retries, WHOLE_ANSWER_BYTES)
            value = await _read_value(answer)
        else:
            value, notices = await self._read_pages(operation, request)
        return shape_answer(operation.keep, value, limits, notices)

    async def _read_pages(
        self, operation: Operation, request: PlainRequest
    ) -> tuple[JsonValue, list[str]]:
        """The first page with the items of all, and a notice of what was left out."""
        paging, limits = operation.paging, self._limits
        assert paging is not None  # noqa: S101 - asked of operations with pages alone
        address: PageAddress | None = first_page(
            paging, PageAddress(request.url, request.query, self._service.server_url)
        )
        first: JsonValue = None
        items: list[JsonValue] = []
        room, number = WHOLE_ANSWER_BYTES, 0
        while address is not None and number < paging.pages and len(items) < limits.row_limit:
            sent = replace(request, url=address.url, query=address.query)
            answer = await self._send(sent, operation.retries, room)
            page = await _read_value(answer)
            first, number, room = (
                page if number == 0 else first,
                number + 1,
                room - len(answer.body),
            )
            items += items_of(paging, page)
            address = next_page(paging, page, address, number=number, link_header=answer.link)
            if room <= 0:
                break
        notices = []
        if len(items) > limits.row_limit:
            notices.append(f"(truncated: the first {limits.row_limit} items)")
        elif address is not None:
            notices.append(f"(truncated: there may be more than these {len(items)} items)")
        return join_pages(paging, first, items[: limits.row_limit]), notices

    async def _send(self, request: PlainRequest, retries: int, byte_limit: int) -> HttpAnswer:
        """What the service says, after so many more attempts while it fails in a way that may pass."""
        pause_s = _FIRST_PAUSE_S
        for attempt in range(retries + 1):
            left_s = self._until - self._loop.time()
            if left_s <= 0:
                raise DeadlineExceededError(
                    message(
                        "http.no_time_left",
                        "the service did not answer all requests within {limit} ms; ask for less,"
                        " or retry later",
                        limit=str(self._limits.timeout_ms),
                    )
                )
            wait_s, is_last = pause_s, attempt == retries
            try:
                answer = await self._service.send(
                    request,
                    byte_limit=byte_limit,
                    timeout_ms=max(1, round(left_s * 1_000)),
                    caller=self._caller,
                )
            except DataSourceUnavailableError:
                if is_last or wait_s >= self._until - self._loop.time():
                    raise
            else:
                wait_s = max(pause_s, answer.pause_s)
                is_last = is_last or wait_s >= self._until - self._loop.time()
                if is_last or answer.status not in _PASSING:
                    return answer
            await asyncio.sleep(wait_s)
            pause_s *= 2
        raise AssertionError("the last attempt returns or raises")


async def _read_value(answer: HttpAnswer) -> JsonValue:
    """The answer as a value; long XML is read in a thread, so that other calls go on beside it."""
    if len(answer.body) > _LONG_BYTES and is_xml(answer):
        return await asyncio.to_thread(answer_value, answer, WHOLE_ANSWER_BYTES)
    return answer_value(answer, WHOLE_ANSWER_BYTES)


def shape_answer(
    keep: Keep | None, value: JsonValue, limits: CallLimits, notices: list[str] | None = None
) -> Answer:
    """The answer that keeps this part of the value, within the caps; what is left out is said.

    Raises DataSourceError where the answer has no such part, or the part is too long.
    """
    notices = notices or []
    if keep is not None:
        response = value
        try:
            value = keep.apply(response)
        except EvaluationError as error:
            raise DataSourceError(
                message(
                    "http.keep_failed",
                    "the part to keep is not in the answer: {reason}",
                    reason=explain_missing(error.message, response),
                )
            ) from error
    if isinstance(value, list) and len(value) > limits.row_limit:
        value = value[: limits.row_limit]
        notices = [f"(truncated: the first {limits.row_limit} items)"]
    answer = value_answer(value)
    if isinstance(value, dict):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        answer = Answer(structured=value, texts=(text,))
    if len(answer.texts[0].encode()) > limits.byte_limit:
        raise DataSourceError(
            message(
                "http.kept_too_long",
                "what is kept of the answer is longer than the limit of {limit} bytes; keep less",
                limit=str(limits.byte_limit),
            )
        )
    return structs.replace(answer, texts=(*answer.texts, *notices), truncated=bool(notices))
