"""Static files that are sent again without asking Django."""

import asyncio
from ipaddress import ip_network
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.asgi import get_asgi_application
from pytest_django.fixtures import Settings

from access.request_ids import Receive, Scope, Send
from config.web.static_files import StaticAnswers

GZIP = (b"accept-encoding", b"gzip, br")


class CountedApplication:
    """Django, and how often it was asked."""

    def __init__(self) -> None:
        self.app = get_asgi_application()
        self.count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        await self.app(scope, receive, send)


async def ask(app: Any, address: str, *headers: tuple[bytes, bytes], method: str = "GET") -> Any:
    """Status, headers and body of an answer."""
    path, _, query = address.partition("?")
    messages: list[Any] = []
    coming = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Any:
        # The client stays and sends no more.
        return next(coming, None) or await asyncio.Event().wait()

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"host", b"localhost"), *headers],
        "scheme": "http",
        "client": ("127.0.0.1", 1),
    }
    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in messages[1:])
    return messages[0]["status"], sorted(messages[0]["headers"]), body


@pytest.mark.parametrize("name", ["web/app.css", "vendor/codemirror.js", "web/icons.svg"])
@pytest.mark.parametrize("headers", [(), (GZIP,)], ids=["plain", "compressed"])
async def test_file_that_is_kept_for_ever_is_sent_the_same_without_django(
    name: str, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    django = CountedApplication()
    app = StaticAnswers(django)

    first = await ask(app, staticfiles_storage.url(name), *headers)
    second = await ask(app, staticfiles_storage.url(name), *headers)

    assert (first[0], django.count) == (200, 1)
    assert first == second


@pytest.mark.parametrize(
    ("address", "headers", "method"),
    [
        ("/static/web/app.js", (), "GET"),
        ("/static/web/app.js?v=0123456789abcdef", (), "GET"),
        ("/static/web/none.js?v=0123456789abcdef", (), "GET"),
        ("current", ((b"if-none-match", b"*"),), "GET"),
        ("current", (), "HEAD"),
        ("current", (), "POST"),
    ],
    ids=["bare name", "old hash", "no file", "conditional", "head", "post"],
)
@pytest.mark.django_db(transaction=True)
async def test_every_other_request_is_djangos(
    address: str, headers: tuple[tuple[bytes, bytes], ...], method: str
) -> None:
    django = CountedApplication()
    app = StaticAnswers(django)
    url = staticfiles_storage.url("web/app.js") if address == "current" else address

    answers = [await ask(app, url, *headers, method=method) for _ in range(2)]

    assert django.count == 2
    assert [answer[0] for answer in answers] == [answers[0][0]] * 2


async def test_answer_over_tls_is_not_sent_without_it(settings: Settings) -> None:
    settings.TRUSTED_PROXIES, settings.SECURE_HSTS_SECONDS = [ip_network("127.0.0.1/32")], 60
    app = StaticAnswers(get_asgi_application())
    address = staticfiles_storage.url("web/app.js")
    secure = (b"x-forwarded-proto", b"https")

    kinds = [await ask(app, address, *headers) for headers in ((secure,), (), (secure,), ())]

    with_hsts = [b"Strict-Transport-Security" in dict(answer[1]) for answer in kinds]
    assert with_hsts == [True, False, True, False]
