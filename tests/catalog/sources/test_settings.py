"""Data sources become settings; a secret is only ever referred to."""

from pathlib import Path
from typing import Any

import pytest

from access.encryption import seal
from catalog.models import DataSource
from catalog.sources.credentials import resolve_credential
from catalog.sources.settings import read_sources
from core.errors import ConfigurationError
from gateways.postgres.settings import PostgresSettings


def test_reference_to_a_variable_is_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SALES_PASSWORD", "secret")

    assert resolve_credential("env:SALES_PASSWORD") == "secret"


def test_reference_to_a_file_is_resolved(tmp_path: Path, settings: Any) -> None:
    settings.CREDENTIALS_DIR = tmp_path
    (tmp_path / "sales").write_text("secret\n")

    assert resolve_credential("file:sales") == "secret"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        pytest.param("env:NOT_THERE", "NOT_THERE is not set", id="variable"),
        pytest.param("file:../secrets.json", "without a folder", id="another folder"),
        pytest.param("file:nothing", "no readable file nothing", id="file"),
        pytest.param("hunter2", "env:NAME or file:NAME", id="a plain password"),
    ],
)
def test_wrong_reference_says_what_would_be_right(
    reference: str, message: str, tmp_path: Path, settings: Any
) -> None:
    settings.CREDENTIALS_DIR = tmp_path

    with pytest.raises(ConfigurationError, match=message) as caught:
        resolve_credential(reference)

    assert "hunter2" not in str(caught.value)


@pytest.mark.django_db
def test_unresolvable_source_is_refused_alone() -> None:
    DataSource.objects.create(name="good", host="h", database="d", username="u")
    DataSource.objects.create(
        name="bad", host="h", database="d", username="u", password_reference="env:NOT_THERE"
    )

    read = read_sources()

    assert set(read.usable) == {None, "good"}
    assert {k: str(v) for k, v in read.refused.items()} == {
        "bad": "the environment variable NOT_THERE is not set"
    }


@pytest.mark.django_db
def test_password_is_not_in_the_settings_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SALES_PASSWORD", "hunter2")
    DataSource.objects.create(
        name="s", host="h", database="d", username="u", password_reference="env:SALES_PASSWORD"
    )

    assert "hunter2" not in repr(read_sources())


@pytest.mark.parametrize(
    "name",
    [
        *("SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "DATABASE_URL", "DATABASE_REPLICA_URL"),
        *("DATABASE_LISTEN_URL", "EMAIL_URL", "METRICS_TOKEN", "DATA_SOURCE_OTHER_URL"),
    ],
)
def test_secrets_of_this_installation_are_no_password(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "secret")

    with pytest.raises(ConfigurationError, match=f"{name} belongs to this installation"):
        resolve_credential(f"env:{name}")


@pytest.mark.django_db
def test_password_given_twice_is_refused() -> None:
    source = DataSource(name="s", host="h", database="d", username="u")
    source.password = seal("secret", source.password_identity())
    source.password_reference = "env:SALES_PASSWORD"
    source.save()

    assert str(read_sources().refused["s"]).startswith("the password is given twice")


@pytest.mark.django_db
def test_default_source_has_its_settings(settings: Any) -> None:
    settings.DATA_SOURCE_MAX_WAIT_MS = 3
    settings.DATA_SOURCE_PREPARES_STATEMENTS = False
    settings.POSTGRESQL_DB_SEARCH_PATH = 'bank, "CORE"'
    settings.POSTGRESQL_DB_TIME_ZONE = "Asia/Seoul"

    found = read_sources().usable[None]

    assert isinstance(found, PostgresSettings)
    assert found.max_wait_ms == 3
    assert not found.prepares_statements
    assert found.search_path == 'bank, "CORE"'
    assert found.time_zone == "Asia/Seoul"


@pytest.mark.django_db
def test_time_zone_is_an_option_of_the_connection() -> None:
    options = {"time_zone": "Asia/Tokyo", "sslmode": "require"}
    DataSource.objects.create(name="s", host="h", database="d", username="u", options=options)

    found = read_sources().usable["s"]

    assert isinstance(found, PostgresSettings)
    assert found.time_zone == "Asia/Tokyo"
    assert found.extra == {"sslmode": "require"}


@pytest.mark.django_db
def test_default_source_that_is_not_set_is_refused(settings: Any) -> None:
    settings.POSTGRESQL_DB_HOST = ""

    read = read_sources()

    assert None not in read.usable
    assert str(read.refused[None]).endswith("set the POSTGRESQL_DB_* variables")
