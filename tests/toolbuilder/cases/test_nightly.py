"""Cases that run each night tell the owner of the first red, and nobody of the next."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail

from config.celery import app
from config.env import clock
from config.env import mail as read_mail
from tests.toolbuilder.cases.rows import add_case, publish
from toolbuilder.models import NightlyCases
from toolbuilder.tasks import run_nightly_cases
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]


@pytest.fixture
def nightly(settings: Any) -> ToolDefinition:
    """A tool of ann whose cases run each night."""
    settings.EMAIL_HOST = "mail.example.org"
    User.objects.create_user("ann", email="ann@example.org")
    tool = publish()
    add_case(tool)
    NightlyCases.objects.create(tool=tool)
    return tool


@pytest.fixture
def webhook(settings: Any) -> Iterator[list[dict[str, Any]]]:
    """What a server that is allowed has got."""
    got: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings.CASES_WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/hook"
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    yield got
    server.shutdown()
    server.server_close()
    thread.join()


def test_green_night_is_noted_and_told_nobody(nightly: ToolDefinition) -> None:
    assert run_nightly_cases() == 0

    row = NightlyCases.objects.get()
    assert row.ran_at is not None
    assert row.red_count == 0
    assert mail.outbox == []


def test_first_red_is_told_by_mail_and_webhook_and_not_again(
    nightly: ToolDefinition, webhook: list[dict[str, Any]]
) -> None:
    ToolDefinition.objects.update(definition="a * 3")

    assert [run_nightly_cases(), run_nightly_cases()] == [1, 1]

    [sent] = mail.outbox
    assert (sent.to, sent.subject) == (["ann@example.org"], "Red test cases: double")
    assert "twice two: Expected $.result = 4; got 6." in sent.body
    [posted] = webhook
    assert posted["tool"] == "double"
    assert posted["red"] == ["twice two"]
    assert NightlyCases.objects.get().red_count == 1


def test_webhook_that_is_not_allowed_is_not_called(
    nightly: ToolDefinition, webhook: list[dict[str, Any]], settings: Any
) -> None:
    settings.HTTP_ALLOWED_HOSTS = []
    ToolDefinition.objects.update(definition="a * 3")

    assert run_nightly_cases() == 1

    assert webhook == []
    assert len(mail.outbox) == 1


def test_tool_without_the_switch_is_left_alone() -> None:
    row = add_case(publish())

    assert run_nightly_cases() == 0

    row.refresh_from_db()
    assert row.ran_at is None


def test_beat_starts_it_at_the_time_of_the_setting() -> None:
    schedule = app.conf.beat_schedule["run-nightly-cases"]["schedule"]

    assert (schedule.hour, schedule.minute) == ({2}, {10})


def test_settings_that_make_no_sense_name_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASES_NIGHTLY_TIME", "25:00")
    monkeypatch.setenv("EMAIL_URL", "https://user:hunter2@mail.example.org")

    with pytest.raises(ValueError, match="CASES_NIGHTLY_TIME must be a time"):
        clock("CASES_NIGHTLY_TIME", "02:10")
    with pytest.raises(ValueError, match="EMAIL_URL must be like") as raised:
        read_mail("EMAIL_URL")
    assert "hunter2" not in str(raised.value)


def test_mail_server_is_read_from_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", "smtp://ann:p%40ss@mail.example.org:2525")

    found = read_mail("EMAIL_URL")

    assert (found["host"], found["port"], found["password"]) == ("mail.example.org", 2525, "p@ss")
    assert (found["starttls"], found["tls"]) == (True, False)
