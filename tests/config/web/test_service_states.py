"""What the settings page says of the services."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from access.models import RuntimeInstance
from config.services.leftovers import start_time
from config.services.ports import choose_free_port
from config.web.service_states import (
    HealthAnswer,
    ask_all,
    check_beat,
    check_chroma,
    check_database,
    check_embeddings,
    check_redis,
    check_runtimes,
    check_worker,
    read_service_states,
)


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(int(self.path.split("/")[1] or 200) if self.path[1:2].isdigit() else 200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture(scope="module")
def http_port() -> Iterator[int]:
    """A server whose path says the status of its answer, as in /503."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answering) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_checks_are_asked_side_by_side_and_late_ones_are_given_up() -> None:
    meeting = threading.Barrier(2, timeout=60)
    ended = threading.Event()

    def meet() -> HealthAnswer:
        meeting.wait()
        return HealthAnswer("ok", "met")

    def hang() -> HealthAnswer:
        ended.wait(60)
        return HealthAnswer("ok", "too late")

    states = ask_all([("a", meet), ("slow", hang), ("b", meet)], deadline_s=3)()
    ended.set()

    assert [one.answer.text for one in states] == ["met", "No answer within 3 s.", "met"]


def test_what_a_check_raises_is_not_shown() -> None:
    def fail() -> HealthAnswer:
        raise OSError("redis://:hush@h is away")

    [state] = ask_all([("a", fail)])()

    assert state.answer == HealthAnswer("away", "It does not answer.")


def test_checks_speak_the_language_of_the_page() -> None:
    with translation.override("ko"):
        [state] = ask_all([("a", lambda: HealthAnswer("ok", translation.get_language()))])()

    assert state.answer.text == "ko"


def test_database_tells_its_version(db: None) -> None:
    assert check_database().text.startswith("PostgreSQL ")


def test_runtimes_are_counted_while_they_report(db: None) -> None:
    before = check_runtimes()
    RuntimeInstance.objects.create(host="h", pid=1, version="1")

    assert before.state == "away"
    assert check_runtimes() == HealthAnswer("ok", "Serving now: 1")


def test_redis_tells_its_version(settings: Any, redis_url: str) -> None:
    settings.REDIS_URL = redis_url

    assert check_redis().text.startswith("Redis ")


def test_worker_that_is_not_there_is_away(settings: Any, redis_url: str) -> None:
    settings.REDIS_URL = redis_url

    assert check_worker() == HealthAnswer("away", "No worker answers; background jobs wait.")


def test_without_redis_no_jobs_are_missed(settings: Any) -> None:
    settings.REDIS_URL = ""

    assert [check().state for check in (check_redis, check_worker, check_beat)] == ["unused"] * 3


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        pytest.param({}, "unknown", id="never started by up"),
        pytest.param({"beat": [os.getpid(), start_time(os.getpid())]}, "ok", id="running"),
        pytest.param({"beat": [os.getpid(), "another time"]}, "away", id="ended"),
    ],
)
def test_beat_is_what_up_knows_of_it(
    monkeypatch: Any, tmp_path: Path, entry: dict[str, Any], state: str
) -> None:
    monkeypatch.setenv("TOOLBUILDER_DATA_DIR", str(tmp_path))
    (tmp_path / "processes.json").write_text(json.dumps(entry))

    assert check_beat().state == state


@pytest.mark.parametrize(("path", "state"), [("v1", "ok"), ("404", "ok"), ("503", "away")])
def test_embedding_server_is_up_when_it_answers(
    settings: Any, http_port: int, path: str, state: str
) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = f"http://127.0.0.1:{http_port}/{path}"

    assert check_embeddings().state == state


def test_chroma_is_up_when_it_answers(settings: Any, http_port: int) -> None:
    settings.CHROMADB_HOST, settings.CHROMADB_PORT = "127.0.0.1", http_port
    up = check_chroma()
    settings.CHROMADB_PORT = choose_free_port()

    assert (up.state, check_chroma().state) == ("ok", "away")


def test_all_services_are_told_when_none_is_there(db: None, settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{choose_free_port()}/0"
    settings.CHROMADB_HOST = settings.TEXT_EMBEDDING_MODEL_URL = ""

    states = {str(one.name): one.answer.state for one in read_service_states()}

    assert states == {
        "Database": "ok",
        "Runtimes": "away",
        "Redis": "away",
        "Worker": "away",
        "Beat": "unknown",
        "Chroma": "unused",
        "Embedding server": "unused",
    }
