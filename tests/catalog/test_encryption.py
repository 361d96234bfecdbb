"""A stored password is readable with its key, in its row, for its server, and nowhere else."""

import io
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core import serializers
from django.core.management import call_command

from access.encryption import reseal, seal, unseal
from catalog.models import DataSource
from catalog.sources.connections import to_settings
from core.errors import ConfigurationError
from gateways.postgres.settings import PostgresSettings
from tests.catalog.conftest import MakeSource

SECRET = "hunter2 ✓"


def password_of(source: DataSource) -> str:
    settings = to_settings(DataSource.objects.get(pk=source.pk))
    assert isinstance(settings, PostgresSettings)
    return settings.password


def test_stored_password_is_read_again(make_source: MakeSource) -> None:
    assert password_of(make_source(secret=SECRET)) == SECRET


def test_column_holds_no_part_of_the_password(make_source: MakeSource) -> None:
    stored = make_source(secret=SECRET).password

    assert stored
    assert "hunter2" not in stored


def test_same_password_is_never_stored_the_same() -> None:
    assert seal(SECRET, "row") != seal(SECRET, "row")


def test_password_of_an_earlier_key_is_read(keys: list[str], settings: Any) -> None:
    token = seal(SECRET, "row")
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode(), *keys]

    assert unseal(token, "row") == SECRET


def test_password_moved_to_another_row_is_refused(make_source: MakeSource) -> None:
    other = make_source("other")
    DataSource.objects.filter(pk=other.pk).update(password=make_source(secret=SECRET).password)

    with pytest.raises(ConfigurationError, match="another data source, host or role"):
        password_of(other)


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"host": "elsewhere"}, id="host"),
        pytest.param({"port": 5433}, id="port"),
        pytest.param({"username": "postgres"}, id="role"),
    ],
)
def test_password_is_not_sent_to_another_destination(
    make_source: MakeSource, columns: dict[str, Any]
) -> None:
    source = make_source(secret=SECRET)
    DataSource.objects.filter(pk=source.pk).update(**columns)

    with pytest.raises(ConfigurationError, match="enter it again"):
        password_of(source)


def test_renamed_row_keeps_its_password(make_source: MakeSource) -> None:
    source = make_source(secret=SECRET)
    DataSource.objects.filter(pk=source.pk).update(name="renamed", database="another")

    assert password_of(source) == SECRET


@pytest.mark.parametrize(
    ("keys_now", "message"),
    [
        pytest.param(
            [Fernet.generate_key().decode()],
            "set FIELD_ENCRYPTION_KEYS to the keys that encrypted it",
            id="another key",
        ),
        pytest.param([], "FIELD_ENCRYPTION_KEYS is not set", id="no key"),
        pytest.param(["secret-but-no-key"], "key 1 is not a key", id="not a key"),
    ],
)
def test_wrong_keys_are_said_without_naming_them(
    settings: Any, keys_now: list[str], message: str
) -> None:
    token = seal(SECRET, "row")
    settings.FIELD_ENCRYPTION_KEYS = keys_now

    with pytest.raises(ConfigurationError, match=message) as caught:
        unseal(token, "row")

    assert not any(key in str(caught.value) for key in (*keys_now, token))


def test_damaged_token_cannot_be_read() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        unseal("gAAAAA" + "x" * 80, "row")


def test_token_of_the_first_key_is_left_alone() -> None:
    token = seal(SECRET, "row")

    assert reseal(token) == token


@pytest.mark.parametrize("form", ["json", "python", "xml"])
def test_password_is_not_exported(make_source: MakeSource, form: str) -> None:
    source = make_source(secret=SECRET)

    exported = str(serializers.serialize(form, [source]))

    assert source.password not in exported
    assert "hunter2" not in exported


def test_password_is_not_dumped(make_source: MakeSource) -> None:
    source = make_source(secret=SECRET)
    output = io.StringIO()

    call_command("dumpdata", "catalog", stdout=output)

    assert '"name": "sales"' in output.getvalue()
    assert source.password not in output.getvalue()


def test_password_is_in_no_text_of_the_row(make_source: MakeSource) -> None:
    source = make_source(secret=SECRET)
    settings = to_settings(source)

    assert not any("hunter2" in text for text in (repr(source), str(source), repr(settings)))
