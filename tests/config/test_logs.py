"""Log lines as they leave a process."""

import importlib
import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from access.request_ids import REQUEST_ID
from config.logs import LogFormat, logging_settings


def deny(_request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def refuse(_request: HttpRequest) -> HttpResponse:
    raise BadRequest("no such page size")


def fail(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("out of luck")


urlpatterns = [path("deny", deny), path("refuse", refuse), path("fail", fail)]


class Lines:
    """What is logged meanwhile, formatted as the settings say."""

    def __init__(self, log_format: LogFormat) -> None:
        configurator = logging.config.DictConfigurator(logging_settings("INFO", log_format))
        stream = io.StringIO()
        configurator.config["handlers"]["stderr"]["stream"] = stream
        for kind in ("formatters", "filters"):
            entries: Any = configurator.config[kind]
            for name, entry in entries.items():
                entries[name] = getattr(configurator, f"configure_{kind[:-1]}")(entry)
        self.handler = configurator.configure_handler(configurator.config["handlers"]["stderr"])
        self._stream = stream

    def read(self) -> list[str]:
        return self._stream.getvalue().splitlines()


@pytest.fixture
def lines(request: pytest.FixtureRequest) -> Iterator[Lines]:
    found = Lines(getattr(request, "param", "text"))
    logging.getLogger().addHandler(found.handler)
    yield found
    logging.getLogger().removeHandler(found.handler)


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("page", "status"), [("/deny", 403), ("/refuse", 400), ("/nowhere", 404)], ids=str
)
def test_refused_request_is_one_line(client: Client, lines: Lines, page: str, status: int) -> None:
    assert client.get(page).status_code == status

    [line] = lines.read()
    assert page in line
    assert " WARNING django.request " in line


@pytest.mark.urls(__name__)
def test_foreign_host_is_one_line(client: Client, lines: Lines) -> None:
    assert client.get("/deny", headers={"host": "example.org"}).status_code == 400

    assert "Invalid HTTP_HOST header: 'example.org'" in lines.read()[0]
    assert all("DisallowedHost" in line or "Bad Request" in line for line in lines.read())


@pytest.mark.urls(__name__)
def test_fault_of_ours_keeps_its_traceback(client: Client, lines: Lines) -> None:
    client.raise_request_exception = False

    assert client.get("/fail").status_code == 500

    assert "Traceback (most recent call last):" in lines.read()
    assert lines.read()[-1] == "RuntimeError: out of luck"


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_json_line_has_its_fields_and_those_of_the_call(lines: Lines) -> None:
    token = REQUEST_ID.set("abc-1")
    logging.getLogger("some.place").warning("it took %d ms", 5, extra={"duration_ms": 5})
    REQUEST_ID.reset(token)

    entry = json.loads(lines.read()[0])
    assert entry.pop("timestamp").endswith("+00:00")
    assert entry == {
        "level": "WARNING",
        "logger": "some.place",
        "message": "it took 5 ms",
        "request_id": "abc-1",
        "duration_ms": 5,
    }


@pytest.mark.parametrize("lines", ["json"], indirect=True)
def test_json_line_holds_a_whole_traceback(lines: Lines) -> None:
    try:
        int("two\nlines")
    except ValueError:
        logging.getLogger("some.place").exception("failed")

    [line] = lines.read()
    assert json.loads(line)["exc_info"].startswith("Traceback (most recent call last):\n")


def test_lines_of_the_mcp_server_are_like_all_others(lines: Lines) -> None:
    importlib.import_module("mcp_runtime.server")

    logging.getLogger("fastmcp.server.auth").warning("refused")

    [line] = lines.read()
    assert line.endswith(" WARNING fastmcp.server.auth [-] refused")
    assert not logging.getLogger("fastmcp").handlers


def test_text_line_names_the_request(lines: Lines) -> None:
    logging.getLogger("some.place").warning("outside")
    token = REQUEST_ID.set("abc-1")
    logging.getLogger("some.place").warning("inside")
    REQUEST_ID.reset(token)

    outside, inside = lines.read()
    assert outside.endswith(" WARNING some.place [-] outside")
    assert inside.endswith(" WARNING some.place [abc-1] inside")
