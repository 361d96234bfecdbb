"""What an HTTP service says, as the answer of a tool."""

import codecs
import json
import re
from dataclasses import dataclass
from http import HTTPStatus

from core.errors import DataSourceError
from core.ingest.texts import clean_text
from core.json_text import MAX_LEVELS, is_deeper_than
from core.messages import Message, message
from core.results import Answer, value_answer
from core.text_encodings import find_encoding
from core.toolspec import JsonValue
from core.xml_values import read_xml

MAX_ERROR_CHARACTERS = 2_000
_JSON = re.compile(
    r"(?:application|text)/(?:[\w.+-]+\+)?json\b|[\w-]+/[\w.+-]+\+json\b", re.IGNORECASE
)
_XML = re.compile(r"(?:application|text)/xml\b|[\w-]+/[\w.+-]+\+xml\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset=\"?([\w-]+)", re.IGNORECASE)
# What XML and HTML say of themselves.
_DECLARED = re.compile(
    rb"(?:<\?xml[^>]{0,200}\sencoding|<meta[^>]{0,200}\scharset)\s*=\s*[\"']?([\w.-]+)",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 2_000
# Both hold more characters than their names say, and are sent so.
_WIDER = {"euc_kr": "cp949", "shift_jis": "cp932"}
# Of the header Retry-After, RFC 9110: seconds, or a date.
_SECONDS = re.compile(r"\d{1,6}", re.ASCII)
_DATE = re.compile(r"[A-Za-z]{3}, \d\d [A-Za-z]{3} \d{4} \d\d:\d\d:\d\d GMT", re.ASCII)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The status, the content type as it was sent, and the body, decompressed.

    `is_cut` says that the body is the beginning of a longer one. `link` and `retry_after` are the
    headers of these names.
    """

    status: int
    content_type: str
    body: bytes
    is_cut: bool = False
    link: str = ""
    retry_after: str = ""

    @property
    def pause_s(self) -> int:
        """How many seconds the service wants to be left alone, 0 where it names no number."""
        return int(self.retry_after) if _SECONDS.fullmatch(self.retry_after) else 0


def service_answer(answer: HttpAnswer, byte_limit: int) -> Answer:
    """A JSON object as it is, another JSON value and text as `result`; a long text is cut and says so.

    JSON of more levels than clients read is given as text.

    Raises DataSourceError for a status of 300 or more, for JSON beyond the limit and for what is
    neither JSON nor text.
    """
    require_success(answer)
    if not answer.body:
        return value_answer(None)
    if is_json(answer):
        require_whole(answer, byte_limit)
        value, text = _read_json(answer)
        if is_deeper_than(MAX_LEVELS, value):
            value = text
        structured = value if isinstance(value, dict) else {"result": value}
        return Answer(structured=structured, texts=(text,))
    text = decode(answer)
    if not answer.is_cut:
        return value_answer(text)
    notice = f"(truncated: the text is longer than the limit of {byte_limit} bytes)"
    return Answer(structured={"result": text}, texts=(text, notice), truncated=True)


def answer_value(answer: HttpAnswer, byte_limit: int) -> JsonValue:
    """What the service says as one value, of which a part can be kept; XML as `read_xml` reads it.

    Raises as `service_answer`, and for XML that cannot be read.
    """
    require_success(answer)
    require_whole(answer, byte_limit)
    if not answer.body:
        return None
    if is_json(answer):
        return _read_json(answer)[0]
    if not is_xml(answer):
        return decode(answer)
    try:
        return read_xml(decode(answer))
    except ValueError as error:
        raise DataSourceError(
            message(
                "http.answer_no_xml",
                "the service's XML cannot be read: {reason}; it begins {said}",
                reason=str(error),
                said=clean_text(decode(answer), MAX_ERROR_CHARACTERS),
            )
        ) from error


def is_json(answer: HttpAnswer) -> bool:
    """Whether the service says that its answer is JSON, or sends an object or a list of JSON as a text."""
    if _JSON.match(answer.content_type):
        return True
    is_text = answer.content_type.lower().startswith("text/") and not answer.is_cut
    if not is_text or not answer.body.lstrip().startswith((b"{", b"[")):
        return False
    try:
        _read_json(answer)
    except DataSourceError:
        return False
    return True


def is_xml(answer: HttpAnswer) -> bool:
    """Whether the service says that its answer is XML, or sends a text that says so of itself."""
    if _XML.match(answer.content_type):
        return True
    return answer.content_type.lower().startswith("text/") and answer.body.lstrip().startswith(
        b"<?xml"
    )


def require_success(answer: HttpAnswer) -> None:
    """Raise DataSourceError, with what the service says, for a status of 300 or more."""
    if answer.status >= 300:
        raise DataSourceError(_explain_status(answer))


def require_whole(answer: HttpAnswer, byte_limit: int) -> None:
    """Raise DataSourceError for an answer of which only the beginning is there."""
    if answer.is_cut:
        raise DataSourceError(
            message(
                "http.answer_too_long",
                "the service's answer is longer than the limit of {limit} bytes; ask for"
                " less, as with a filter or a page",
                limit=str(byte_limit),
            )
        )


def _read_json(answer: HttpAnswer) -> tuple[JsonValue, str]:
    """The value, and its text as a client of MCP can read it."""
    try:
        try:
            value = json.loads(answer.body)
        except UnicodeDecodeError:
            # JSON is UTF-8; older services send it in another charset, which some of them name.
            value = json.loads(answer.body.decode(_find_charset(answer)))
        # Numbers and depths that Python takes and a client of MCP may not: NaN is refused here.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, LookupError, RecursionError) as error:
        raise DataSourceError(
            message("http.answer_no_json", "the service says that it answers JSON, but it is none")
        ) from error
    return value, text


def _explain_status(answer: HttpAnswer) -> Message:
    try:
        phrase = f" {HTTPStatus(answer.status).phrase}"
    except ValueError:
        phrase = ""
    status = message(
        "http.status",
        "the service answered {status}{phrase}",
        status=str(answer.status),
        phrase=phrase,
    )
    if answer.status < 400:
        return message(
            "http.redirect",
            "{said}; redirects are not followed, so its address has to be the final one",
            said=status,
        )
    if when := when_to_retry(answer.retry_after):
        status = message(
            "http.status_pause", "{said}, to be asked again after {when}", said=status, when=when
        )
    text = clean_text(decode(answer), MAX_ERROR_CHARACTERS)
    return message("http.status_said", "{said}: {text}", said=status, text=text) if text else status


def when_to_retry(retry_after: str) -> str:
    """What the header Retry-After says, as `17 s` or a date; '' where it is neither."""
    if _SECONDS.fullmatch(retry_after):
        return f"{int(retry_after)} s"
    return retry_after if _DATE.fullmatch(retry_after) else ""


def decode(answer: HttpAnswer) -> str:
    """The body as text; what is not in its encoding is replaced."""
    return answer.body.decode(_find_charset(answer), "replace")


def _find_charset(answer: HttpAnswer) -> str:
    """What the header says, or the text of itself, or else what its bytes look like."""
    said = _CHARSET.search(answer.content_type)
    declared = None if said else _DECLARED.search(answer.body, 0, _DECLARED_WITHIN)
    name = said[1] if said else declared[1].decode() if declared else ""
    try:
        # Some codecs are not of text, such as hex.
        known = codecs.lookup(name).name if name and "".encode(name) is not None else ""
    except (LookupError, ValueError):
        known = ""
    return _WIDER.get(known, known) or find_encoding(answer.body, is_cut=answer.is_cut)
