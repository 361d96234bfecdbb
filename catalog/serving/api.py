"""The catalogue over HTTP: the answers of the catalogue tools as JSON, for keys that have those tools."""

import csv
import io
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from access.keys import find_key, note_use
from access.proxies import client_address
from access.toolsets.models import read_toolsets
from catalog.models import CatalogQuery
from catalog.serving.answers import tell_connection, tell_details, tell_summaries, tell_tags
from core.catalogue.budgets import DETAILED_TABLES
from core.errors import IndexNotReadyError, ToolboxError, UnknownTableError
from core.grants import EVERYTHING, BuiltinGroup, Grant, ToolPlace, Visibility
from core.json_text import encode_json

logger = logging.getLogger(__name__)

SURFACE = "api"
METHODS = ("GET", "HEAD")
MAX_QUERY_CHARACTERS = 1_000

Tell = Callable[..., dict[str, Any]]


_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """Who asks; `key_id` and `owner` are '' where unknown."""

    key_id: str = ""
    owner: str = ""
    grant: Grant = EVERYTHING

    def may_call(self, tool_name: str) -> bool:
        """Whether the key has the tool of the catalogue whose answer is asked for."""
        places = {tool_name: ToolPlace(group=BuiltinGroup.CATALOGUE)}
        toolsets = read_toolsets() if self.grant.toolsets else {}
        return bool(Visibility(places, toolsets).names(self.grant) != frozenset())


def find_caller(request: HttpRequest) -> ApiCaller | None:
    """The caller of a valid `Authorization: Bearer` token, whose use is noted, or None.

    Without a token anybody on this machine is let in where MCP_AUTH is `none`, and nobody else.
    """
    header: str = request.headers.get("Authorization", "")
    if not header:
        return ApiCaller() if settings.MCP_AUTH == "none" and _is_local(request) else None
    scheme, _, token = header.partition(" ")
    key = find_key(token.strip()) if scheme.lower() == "bearer" else None
    if key is None or not key.is_allowed_from(client_address(request)):
        return None
    note_use(key)
    owner = key.owner.get_username() if key.owner else ""
    return ApiCaller(key.key_id, owner, key.grant)


def _is_local(request: HttpRequest) -> bool:
    # A proxy on this machine asks from a loopback address for somebody who may be anywhere.
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(client_address(request)).is_loopback
    except ValueError:
        return False


class ApiError(Exception):
    """An answer that is no success; `code` is for programs and the text for people."""

    def __init__(self, status: int, code: str, text: str, **headers: str) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def json_route(tell: Tell) -> Callable[..., HttpResponse]:
    """The view of a function that takes request, caller and parts of the path and gives the answer."""

    # Only GET is answered, and by the key alone: a POST shall hear that, not of a missing token.
    @csrf_exempt
    @login_not_required
    @wraps(tell)
    def view(request: HttpRequest, **parts: str) -> HttpResponse:
        began = time.perf_counter()
        try:
            caller = _require_caller(request)
            response = _respond(tell(request, caller, **parts))
        except ApiError as error:
            response = _respond_error(error)
        except UnknownTableError as error:
            response = _respond_error(ApiError(404, "unknown_table", str(error)))
        except IndexNotReadyError as error:
            response = _respond_error(ApiError(503, "not_ready", str(error)))
        except ToolboxError as error:
            response = _respond_error(ApiError(400, "refused", str(error)))
        except DatabaseError:
            logger.warning("the catalogue's API cannot read its database", exc_info=True)
            away = ApiError(503, "unavailable", "the catalogue cannot be read now; try again later")
            response = _respond_error(away)
        took_ms = (time.perf_counter() - began) * 1_000
        logger.info("api %s %d %.1f ms", tell.__name__, response.status_code, took_ms)
        return response

    return view


@json_route
def tables(request: HttpRequest, caller: ApiCaller) -> dict[str, Any]:
    """`/api/tables`, `?tag=` or `?names=`: summaries, or details of the named tables."""
    _check_parameters(request, "tag", "names")
    tag = request.GET.get("tag", "").strip()
    if "names" not in request.GET:
        _require_tool(caller, "list_table_summaries")
        answer = tell_summaries(caller.owner, tag)
        if tag:
            _note_query(caller, tag, answer["total"])
        return answer
    if tag:
        raise ApiError(400, "bad_request", "tag and names cannot be asked for together")
    # A name with a comma is in double quotes, as in CSV.
    lines = [io.StringIO(text, newline="") for text in request.GET.getlist("names")]
    try:
        rows = [row for line in lines for row in csv.reader(line)]
    except csv.Error:
        rows = []
    names = list(dict.fromkeys(name for row in rows for name in row if name.strip()))
    if not 0 < len(names) <= DETAILED_TABLES:
        raise ApiError(
            400,
            "bad_request",
            f"names must be 1 to {DETAILED_TABLES} names between commas, as in a,b",
        )
    return _tell_details(caller, names)


@json_route
def table(request: HttpRequest, caller: ApiCaller, name: str) -> dict[str, Any]:
    """`/api/tables/<name>`: details of one table."""
    _check_parameters(request)
    return _tell_details(caller, [name])


@json_route
def connection(request: HttpRequest, caller: ApiCaller, name: str) -> dict[str, Any]:
    """`/api/tables/<name>/connection`: how code reaches the table's database."""
    _check_parameters(request)
    _require_tool(caller, "get_connection_info")
    return tell_connection(caller.owner, name)


@json_route
def tags(request: HttpRequest, caller: ApiCaller) -> dict[str, Any]:
    """`/api/tags`: all tags with the number of their tables."""
    _check_parameters(request)
    _require_tool(caller, "get_tags")
    return tell_tags(caller.owner)


@json_route
def nothing(_request: HttpRequest, _caller: ApiCaller) -> dict[str, Any]:
    """Any other address."""
    raise ApiError(
        404,
        "not_found",
        "there is no such address; there are /api/tables, /api/tables/<name>,"
        " /api/tables/<name>/connection and /api/tags",
    )


def _tell_details(caller: ApiCaller, names: Sequence[str]) -> dict[str, Any]:
    _require_tool(caller, "get_table_details")
    count = 0
    try:
        answer = tell_details(caller.owner, names)
        count = len(answer["tables"])
    finally:
        # What nobody found is what the catalogue's words lack.
        _note_query(caller, ", ".join(names), count)
    return answer


def _require_caller(request: HttpRequest) -> ApiCaller:
    if request.method not in METHODS:
        text = f"only {' and '.join(METHODS)} are answered here"
        raise ApiError(405, "method_not_allowed", text, Allow=", ".join(METHODS))
    caller = find_caller(request)
    if caller is None:
        fault = ', error="invalid_token"' if "Authorization" in request.headers else ""
        raise ApiError(
            401,
            "unauthorized",
            "send a valid API key as `Authorization: Bearer mcp_...`",
            WWW_Authenticate=f'Bearer realm="toolbuilder"{fault}',
        )
    return caller


def _require_tool(caller: ApiCaller, tool_name: str) -> None:
    if not caller.may_call(tool_name):
        text = f"this API key does not have the tool {tool_name}; ask your administrator"
        raise ApiError(403, "forbidden", text)


def _check_parameters(request: HttpRequest, *known: str) -> None:
    unknown = [name for name in request.GET if name not in known]
    if unknown:
        takes = f"takes {' and '.join(known)}" if known else "takes none"
        raise ApiError(
            400, "bad_request", f"unknown parameter {unknown[0][:60]!r}; this address {takes}"
        )


def _note_query(caller: ApiCaller, query: str, result_count: int) -> None:
    text = query.replace("\0", "")[:MAX_QUERY_CHARACTERS]
    CatalogQuery.objects.create(
        surface=SURFACE, query=text, result_count=result_count, key_id=caller.key_id
    )


def _respond(answer: dict[str, Any], status: int = 200) -> HttpResponse:
    response = HttpResponse(encode_json(answer), content_type="application/json", status=status)
    response["Cache-Control"] = "no-store"
    return response


def _respond_error(error: ApiError) -> HttpResponse:
    response = _respond({"error": error.code, "message": str(error)}, error.status)
    for name, value in error.headers.items():
        response[name] = value
    return response
