"""`manage.py index_documents` as people and timers call it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from catalog.documents.indexing import INDEXING_LOCK
from catalog.models import ReferenceDocument
from tests.catalog.documents.conftest import EMAIL, Indexing, WriteFile, columns, load
from tests.waiting import LIMIT_S

MANAGE = Path(__file__).parents[3] / "manage.py"
VARIABLES = (
    *("TEXT_EMBEDDING_MODEL_URL", "TEXT_EMBEDDING_MODEL_NAME"),
    *("CHROMADB_HOST", "CHROMADB_PORT", "CHROMADB_COLLECTION_NAME"),
)
Start = Callable[..., "subprocess.Popen[str]"]


def lines_of(count: int) -> str:
    return "\n".join(json.dumps({"text": f"text number {number}"}) for number in range(count))


def run(*arguments: object) -> list[str]:
    output = StringIO()
    call_command("index_documents", *map(str, arguments), stdout=output, stderr=StringIO())
    return output.getvalue().splitlines()


def refuse(*arguments: object) -> tuple[int, str]:
    """The exit code and the text of a run that fails."""
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    return caught.value.returncode, str(caught.value)


@pytest.mark.django_db
def test_file_is_loaded_and_embedded(indexing: Indexing, write_file: WriteFile) -> None:
    path = write_file("shop.jsonl", json.dumps(EMAIL))

    assert run(path) == [
        "shop.jsonl: 1 document: 1 new, 0 changed, 0 unchanged, 0 removed.",
        "Embedded 1 of 1.",
        "Vectors: 1 embedded, 0 up to date, 0 removed.",
    ]
    assert run(path) == [
        "shop.jsonl: 1 document: 0 new, 0 changed, 1 unchanged, 0 removed.",
        "Vectors: 0 embedded, 1 up to date, 0 removed.",
    ]


@pytest.mark.django_db
def test_without_files_what_is_there_is_embedded(indexing: Indexing) -> None:
    load(*columns(2))

    assert run()[-1] == "Vectors: 2 embedded, 0 up to date, 0 removed."


@pytest.mark.django_db
def test_files_of_one_source_replace_those_of_before(
    indexing: Indexing, write_file: WriteFile
) -> None:
    old, new = write_file("old.jsonl", lines_of(3)), write_file("new.jsonl", lines_of(2))
    run("--source", "shop", old)

    output = run("--source", "shop", new)

    assert output[0] == "shop: 2 documents: 0 new, 0 changed, 2 unchanged, 1 removed."
    assert output[-1] == "Vectors: 0 embedded, 2 up to date, 1 removed."


@pytest.mark.django_db
def test_source_is_removed(indexing: Indexing) -> None:
    load(*columns(2), source="shop")
    run()

    assert run("--remove", "shop") == [
        "shop: 2 documents removed.",
        "Vectors: 0 embedded, 0 up to date, 2 removed.",
    ]


@pytest.mark.django_db
def test_source_may_get_another_name_at_once(indexing: Indexing, write_file: WriteFile) -> None:
    run(write_file("old.jsonl", lines_of(2)))

    run("--remove", "old.jsonl", write_file("new.jsonl", lines_of(2)))

    assert set(ReferenceDocument.objects.values_list("source", flat=True)) == {"new.jsonl"}


@pytest.mark.django_db
def test_rehearsal_changes_nothing(write_file: WriteFile) -> None:
    load(*columns(2), source="a.jsonl")

    output = run("--dry-run", write_file("a.jsonl", lines_of(3)))

    assert output == [
        "a.jsonl: 3 documents: 3 new, 0 changed, 0 unchanged, 2 removed.",
        "3 documents to embed. Nothing was changed.",
    ]
    assert ReferenceDocument.objects.count() == 2


@pytest.mark.django_db
def test_rebuild_is_said(indexing: Indexing) -> None:
    load(*columns(2))
    run()

    assert run("--rebuild")[0] == "Embedded 2 of 2."
    assert "The collection was made anew." in run("--rebuild")


@pytest.mark.django_db
def test_faulty_files_are_refused_with_all_their_faults(write_file: WriteFile) -> None:
    good = write_file("good.jsonl", lines_of(1))
    bad = write_file("bad.jsonl", '{"table": "t"}\n{"text": []}')

    code, text = refuse("--remove", "none", good, bad)
    assert (code, text) == (1, "there is no source none; known: none")

    code, text = refuse(good, bad)
    assert code == 1
    assert [line.split(": ")[0] for line in text.splitlines()] == [f"{bad}:1", f"{bad}:2"]
    assert not ReferenceDocument.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param(["--source", "a"], "--source needs files", id="source"),
        pytest.param(["a/x.csv", "b/x.csv"], "two files have the same name", id="names"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], text: str) -> None:
    code, message = refuse(*arguments)

    assert code == 2
    assert text in message


@pytest.mark.django_db
def test_refused_document_fails_the_run_and_is_named(indexing: Indexing) -> None:
    load(*columns(1))
    ReferenceDocument.objects.create(key="empty", kind="text", text=" ")

    code, text = refuse()

    assert code == 1
    assert text.startswith("1 document refused by the embedding server:\nempty: ")


@pytest.mark.django_db
def test_loaded_documents_stay_when_a_server_is_away(
    indexing: Indexing, settings: Any, write_file: WriteFile
) -> None:
    settings.CHROMADB_PORT = 9

    code, text = refuse(write_file("a.jsonl", lines_of(1)))

    assert code == 3
    assert "127.0.0.1" not in text
    assert ReferenceDocument.objects.count() == 1


@pytest.mark.django_db
def test_second_run_at_once_has_its_own_exit_code(indexing: Indexing) -> None:
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [INDEXING_LOCK])

    code, _ = refuse()

    other.close()
    assert code == 4


@pytest.mark.django_db
def test_handlers_of_signals_are_put_back(indexing: Indexing) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)

    run()

    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


@pytest.fixture
def start(transactional_db: None, indexing: Indexing, settings: Any) -> Start:
    """Starts the command as a process of its own on this test's database and servers."""
    database = connection.settings_dict
    environment: Mapping[str, str] = {
        **os.environ,
        **{name: str(getattr(settings, name)) for name in VARIABLES},
        "DATABASE_URL": (
            f"postgresql://{database['USER']}:{database['PASSWORD']}@{database['HOST']}"
            f":{database['PORT']}/{database['NAME']}"
        ),
    }

    def start(*arguments: object) -> "subprocess.Popen[str]":
        command = [sys.executable, str(MANAGE), "index_documents", *map(str, arguments)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    return start


def wait_for_line(process: "subprocess.Popen[str]", word: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if word in line:
            return
    raise AssertionError(f"never said {word}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 130, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, 130, id="TERM"),
        pytest.param(signal.SIGKILL, -9, id="kill -9"),
    ],
)
def test_run_that_was_ended_is_continued(
    start: Start, write_file: WriteFile, number: int, code: int
) -> None:
    process = start(write_file("a.jsonl", lines_of(640)))
    wait_for_line(process, "Embedded 320 of 640.")

    process.send_signal(number)
    _, errors = process.communicate(timeout=LIMIT_S)

    assert process.returncode == code
    assert ("run it again to go on" in errors) is (code == 130)
    assert "Traceback" not in errors
    embedded, current, removed = map(int, re.findall(r"\d+", run()[-1].replace(",", "")))
    assert (embedded + current, removed) == (640, 0)
    assert current >= 320
