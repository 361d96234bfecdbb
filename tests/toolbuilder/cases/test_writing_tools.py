"""Cases of a tool that writes run when a person says so, and at no other time."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from core.cases.outcomes import CaseState
from core.errors import RedCasesError
from tests.http_service import DOCUMENT
from tests.toolbuilder.cases.rows import add_case, case_of
from toolbuilder.cases.nightly import run_nightly
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.models import NightlyCases, ToolCase
from toolbuilder.taking_up.ingesting import (
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres", "_english")]

TOM = case_of("Tom", {"check": "contains", "text": "Tom"}, arguments={"name": "Tom"})


@pytest.fixture
def received(settings: Any) -> Iterator[list[str]]:
    """What a service has got whose operations are tools; `add_pet` writes."""
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    got: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"name":"Tom"}')

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    reading = read_openapi_text(json.dumps(DOCUMENT))
    source = find_service("pets", f"http://127.0.0.1:{server.server_port}/v1", reading)
    save_service(source)
    assert not any(
        outcome.refusal for outcome in apply_ingest(plan_ingest(reading, source).operations, "ann")
    )
    yield got
    server.shutdown()
    server.server_close()


def change(**fields: Any) -> Any:
    """The publication of the tool with these fields."""
    draft = open_draft(ToolDefinition.objects.get(name="add_pet"), "ann")
    state = PageState(username="ann", revision=draft.revision)
    return publish_tool(save_draft(draft.uid, draft.document | fields, state), "ann")


def test_neither_publishing_nor_night_nor_command_repeats_the_write(received: list[str]) -> None:
    tool = ToolDefinition.objects.get(name="add_pet")
    add_case(tool, TOM)
    NightlyCases.objects.create(tool=tool)
    output = StringIO()

    assert change(timeout_ms=9_000).version.override_reason == ""
    assert run_nightly() == 0
    call_command("tools", "test", "add_pet", stdout=output)

    assert received == []
    assert ToolCase.objects.get().state == ""
    assert "add_pet: Tom: skipped\n  Not run: the tool writes" in output.getvalue()
    assert output.getvalue().endswith("0 cannot run, 1 skipped.\n")


def test_it_runs_once_when_somebody_presses_run(admin: Client, received: list[str]) -> None:
    add_case(ToolDefinition.objects.get(name="add_pet"), TOM)

    answer = admin.post("/tools/add_pet/cases/", {"revision": "0"}, headers={"HX-Request": "true"})

    panel = answer.content.decode()
    assert "This tool writes: its cases run only when you press Run" in panel
    assert 'name="nightly"' not in panel
    assert "1 green" in panel
    assert received == ['{"name":"Tom"}']
    assert ToolCase.objects.get().state == CaseState.GREEN


def test_what_that_run_said_counts_for_the_same_logic(admin: Client, received: list[str]) -> None:
    tool = ToolDefinition.objects.get(name="add_pet")
    add_case(tool, case_of("Tim", {"check": "contains", "text": "Tim"}, arguments={"name": "Tim"}))
    admin.post("/tools/add_pet/cases/", {"revision": "0"}, headers={"HX-Request": "true"})

    with pytest.raises(RedCasesError):
        change(title="Add a cat")

    assert len(received) == 1
