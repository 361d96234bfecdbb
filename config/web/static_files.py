"""Static files: each address carries a hash of the content, so that browsers keep the file for ever.

Files stay where they are and nothing is collected: an address is made when a page first shows it.
"""

import gzip
import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.exceptions import SuspiciousFileOperation
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.cache import get_conditional_response

from access.request_ids import Application, Receive, Scope, Send
from config.web.bundles import STYLES, write_bundle

FOR_EVER = "public, max-age=31536000, immutable"
# A file requested by its bare name, or by the hash of an older version, may be another soon.
FOR_A_MINUTE = "public, max-age=60"
_VERSION = "v"
_VERSION_LENGTH = 16
# Twice for each file, for clients with and without gzip, and again behind each proxy.
_MOST_REMEMBERED = 1_000
_REFERENCE = re.compile(rb"""(url\(\s*["']?)([^"')\s]+)""")
_COMPRESSIBLE = re.compile(r"text/|application/json|image/svg")
# What a machine's own list of types says is not relied on: no browser runs a module of another type.
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_found: dict[str, "StaticFile"] = {}
_addresses: dict[str, str] = {}


@dataclass(frozen=True)
class StaticFile:
    """A file as it is sent."""

    path: Path
    content: bytes

    @cached_property
    def version(self) -> str:
        """A hash of the content."""
        return sha256(self.content).hexdigest()[:_VERSION_LENGTH]

    @cached_property
    def content_type(self) -> str:
        """The media type, with the encoding of a text."""
        found = _TYPES.get(self.path.suffix) or mimetypes.guess_type(self.path.name)[0]
        if found is None:
            return "application/octet-stream"
        return f"{found}; charset=utf-8" if found.startswith("text/") else found

    @cached_property
    def compressed(self) -> bytes | None:
        """The content as gzip, None if that makes it no smaller."""
        beside = self.path.with_name(f"{self.path.name}.gz")
        if beside.exists():
            return beside.read_bytes()
        if not _COMPRESSIBLE.match(self.content_type):
            return None
        return gzip.compress(self.content, mtime=0)


def find_static_file(name: str) -> StaticFile | None:
    """The file `name`, such as `web/app.css`; None if there is none.

    Read once per process; each time while DEBUG is on, so that a change has a new address at once.
    """
    if name in _found:
        return _found[name]
    if (bundle := write_bundle(name)) is not None:
        content = _with_addresses(bundle, name) if name in STYLES else bundle
        return _found.setdefault(name, StaticFile(settings.BASE_DIR / "static" / name, content))
    try:
        path = finders.find(name)
    except SuspiciousFileOperation:
        return None
    if not isinstance(path, str) or not Path(path).is_file():
        return None
    content = Path(path).read_bytes()
    file = StaticFile(
        Path(path), _with_addresses(content, name) if name.endswith(".css") else content
    )
    if not settings.DEBUG:
        _found[name] = file
    return file


class HashedStaticFilesStorage(StaticFilesStorage):
    """Gives addresses such as `/static/web/app.css?v=5f0c9a1e22b4d7a0`."""

    def url(self, name: str | None) -> str:
        if name in _addresses:
            return _addresses[name]
        address = super().url(name)
        file = find_static_file(name) if name else None
        if name and file:
            address = f"{address}?{_VERSION}={file.version}"
            # A page names a hundred files and icons.
            if not settings.DEBUG:
                _addresses[name] = address
        return address


class StaticFilesMiddleware:
    """Sends static files: for ever if the address has the hash, else for a minute."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        prefix = urlsplit(settings.STATIC_URL).path
        if not request.path_info.startswith(prefix):
            return self.get_response(request)
        file = find_static_file(request.path_info.removeprefix(prefix))
        if file is None:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        is_gzip_accepted = "gzip" in request.headers.get("Accept-Encoding", "")
        packed = file.compressed if is_gzip_accepted else None
        response = HttpResponse(packed or file.content, content_type=file.content_type)
        if packed:
            response["Content-Encoding"] = "gzip"
        response["Vary"] = "Accept-Encoding"
        # Of either form: it is weak, since both are sent under one tag.
        response["ETag"] = etag = f'W/"{file.version}"'
        is_current = request.GET.get(_VERSION) == file.version
        response["Cache-Control"] = FOR_EVER if is_current else FOR_A_MINUTE
        return get_conditional_response(request, etag=etag, response=response) or response


class StaticAnswers:
    """ASGI middleware: sends a file that browsers keep for ever as it was sent before, header by header.

    All of Django's middlewares would cost each of an editor's fifty files a thread and some milliseconds.
    """

    def __init__(self, app: Application) -> None:
        self._app = app
        self._answers: dict[tuple[Any, ...], list[Any]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        question = _read_question(scope)
        if question is None:
            await self._app(scope, receive, send)
            return
        if question in self._answers:
            for message in self._answers[question]:
                await send(message)
            return
        answer: list[Any] = []

        async def note(message: Any) -> None:
            answer.append(message)
            await send(message)

        await self._app(scope, receive, note)
        is_whole = answer[0]["status"] == 200 and not answer[-1].get("more_body")
        is_kept = (b"Cache-Control", FOR_EVER.encode()) in answer[0]["headers"]
        if is_whole and is_kept and len(self._answers) < _MOST_REMEMBERED and not settings.DEBUG:
            self._answers[question] = answer


def _read_question(scope: Scope) -> tuple[Any, ...] | None:
    """All that the answer for a file depends on; None of other requests, and of those for a part or a change."""
    is_file = scope["type"] == "http" and scope["path"].startswith(settings.STATIC_URL)
    if not is_file or scope["method"] != "GET":
        return None
    headers = dict(scope["headers"])
    if b"if-none-match" in headers or b"range" in headers:
        return None
    is_gzip_accepted = b"gzip" in headers.get(b"accept-encoding", b"")
    scheme = headers.get(b"x-forwarded-proto")
    # Whether a proxy's word counts depends on which one it is.
    proxy = (scheme, scope["client"] and scope["client"][0]) if scheme else None
    return scope["path"], scope["query_string"], is_gzip_accepted, scope["scheme"], proxy


def _with_addresses(style: bytes, name: str) -> bytes:
    """The style sheet with the hashes of the files of ours that it refers to."""

    def replace(found: re.Match[bytes]) -> bytes:
        parts = urlsplit(found[2].decode())
        is_relative = parts.path and not parts.path.startswith("/")
        if not is_relative or parts.scheme or parts.netloc or parts.query:
            return found[0]
        file = find_static_file(normpath(join(dirname(name), parts.path)))
        if file is None:
            return found[0]
        return found[1] + parts._replace(query=f"{_VERSION}={file.version}").geturl().encode()

    return _REFERENCE.sub(replace, style)
