"""A change is followed by what searches need, once it is committed."""

import json
from base64 import b64decode
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from redis import Redis

from catalog.changes import source_changed, tables_changed
from catalog.documents.stored import search_documents_by_text
from catalog.jobs import INDEX_PENDING, REFRESH_SOURCE, send_job
from catalog.models import CatalogColumn, CatalogTable, ReferenceDocument
from catalog.tasks import refresh_source
from tests.catalog.described_tables import make_data_source, make_table, texts

CaptureCallbacks = Any


def read_jobs(redis_url: str) -> list[Any]:
    """Names and arguments of the jobs that wait, taken off the queue."""
    with Redis.from_url(redis_url) as broker:
        messages = [json.loads(message) for message in broker.lrange("celery", 0, -1)]
        broker.delete("celery")
    return [
        (message["headers"]["task"], *json.loads(b64decode(message["body"]))[0])
        for message in messages
    ]


@pytest.fixture
def broker(redis_url: str, settings: Any) -> str:
    """A real broker without waiting jobs."""
    settings.REDIS_URL = settings.CELERY_BROKER_URL = redis_url
    read_jobs(redis_url)
    return redis_url


@pytest.fixture
def no_broker(settings: Any) -> None:
    settings.REDIS_URL = ""


@pytest.mark.django_db
@pytest.mark.usefixtures("no_broker")
def test_edit_is_found_by_its_words_at_once(
    django_capture_on_commit_callbacks: CaptureCallbacks,
) -> None:
    table = make_table()
    CatalogColumn.objects.filter(name="email").update(description="전자우편 주소")

    with django_capture_on_commit_callbacks(execute=True):
        tables_changed([table.pk])

    assert search_documents_by_text("전자우편", 1) == [
        texts()["catalogue:main_db/public.users.email"]
    ]
    table.refresh_from_db()
    assert "전자우편" in table.search_text


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_broker")
def test_change_that_is_rolled_back_is_followed_by_nothing() -> None:
    table = make_table()

    with transaction.atomic():
        tables_changed([table.pk])
        transaction.set_rollback(True)

    assert texts() == {}


@pytest.mark.django_db
def test_job_is_sent_where_documents_changed(
    broker: str, django_capture_on_commit_callbacks: CaptureCallbacks
) -> None:
    table = make_table()

    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            tables_changed([table.pk])

    assert read_jobs(broker) == [(INDEX_PENDING,)]


@pytest.mark.django_db
def test_many_tables_are_one_job(
    broker: str, django_capture_on_commit_callbacks: CaptureCallbacks
) -> None:
    ids = [make_table(f"t{number}").pk for number in range(150)]

    with django_capture_on_commit_callbacks(execute=True):
        tables_changed(ids)

    assert len(read_jobs(broker)) == 1
    assert ReferenceDocument.objects.count() == 450


def test_broker_that_is_away_is_no_error(settings: Any) -> None:
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "redis://127.0.0.1:9/0"

    assert send_job(INDEX_PENDING) is False


@pytest.mark.django_db
def test_nothing_changed_is_nothing_to_do(
    django_capture_on_commit_callbacks: CaptureCallbacks,
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        tables_changed([])

    assert callbacks == []


@pytest.mark.django_db
@pytest.mark.usefixtures("no_broker")
def test_restricting_a_data_source_removes_its_documents(
    client: Client, django_capture_on_commit_callbacks: CaptureCallbacks
) -> None:
    source = make_data_source(engine="sqlite", host="", database="", username="", path="/a.db")
    with django_capture_on_commit_callbacks(execute=True):
        tables_changed([make_table(source=source).pk])
    client.force_login(User.objects.create_superuser("admin"))
    page = client.get(reverse("admin:catalog_datasource_change", args=[source.pk]))
    form = page.context["adminform"].form
    values = {name: form[name].value() for name in form.fields if form[name].value() is not None}

    with django_capture_on_commit_callbacks(execute=True):
        client.post(page.request["PATH_INFO"], {**values, "options": "{}", "is_restricted": "on"})

    source.refresh_from_db()
    assert source.is_restricted
    assert texts() == {}


@pytest.mark.django_db
def test_open_data_source_gets_its_documents_from_a_job(
    broker: str, django_capture_on_commit_callbacks: CaptureCallbacks
) -> None:
    source = make_data_source()
    make_table(source=source)

    with django_capture_on_commit_callbacks(execute=True):
        source_changed(source)
    [job] = read_jobs(broker)
    refresh_source(*job[1:])

    assert job == (REFRESH_SOURCE, source.pk)
    assert read_jobs(broker) == [(INDEX_PENDING,)]
    assert len(texts()) == 3


@pytest.mark.django_db
@pytest.mark.usefixtures("no_broker")
def test_deleting_a_data_source_removes_its_documents(
    client: Client, django_capture_on_commit_callbacks: CaptureCallbacks
) -> None:
    source = make_data_source()
    with django_capture_on_commit_callbacks(execute=True):
        tables_changed([make_table(source=source).pk])
    client.force_login(User.objects.create_superuser("admin"))

    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("admin:catalog_datasource_delete", args=[source.pk]), {"post": "yes"})

    assert not CatalogTable.objects.exists()
    assert texts() == {}
