"""Anybody may ask whether the web side works, and hears no more than that."""

import pytest
from django.db import DatabaseError, connection
from django.test import Client

pytestmark = pytest.mark.django_db


def test_working_web_side_is_ok(client: Client) -> None:
    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_web_side_without_its_database_is_unavailable(client: Client) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("gone: secret.host")

    with connection.execute_wrapper(fail):
        response = client.get("/healthz")

    assert (response.status_code, response.json()) == (503, {"status": "unavailable"})
