"""Options of a connection are an allow-list, and a search path is names."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ValidationError

from catalog.connection_options import check_options, check_search_path, libpq_keywords
from config.services.postgres import EmbeddedPostgres
from gateways.postgres.settings import PostgresSettings


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sslmode": "verify-full", "sslrootcert": "system"},
        {"sslmode": "verify-ca", "sslrootcert": "ca.pem", "sslcert": "c.crt", "sslkey": "c.key"},
        {"target_session_attrs": "prefer-standby", "load_balance_hosts": "random"},
        {"keepalives_idle": "10", "tcp_user_timeout": "8000"},
        {"require_auth": "scram-sha-256", "channel_binding": "require"},
        {"time_zone": "Asia/Seoul"},
        {"time_zone": "America/Argentina/Buenos_Aires"},
        {"time_zone": "UTC"},
    ],
    ids=str,
)
def test_allowed_options_pass(options: dict[str, str]) -> None:
    check_options(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"options": "-c x=y"}, "options cannot be set here", id="session"),
        pytest.param({"service": "prod"}, "service cannot be set here", id="service file"),
        pytest.param({"passfile": "/etc/shadow"}, "passfile cannot", id="file of passwords"),
        pytest.param({"host": "elsewhere"}, "host cannot be set here", id="host"),
        pytest.param({"hostaddr": "10.0.0.1"}, "hostaddr cannot", id="another address"),
        pytest.param({"password": "x"}, "password cannot be set here", id="password"),
        pytest.param({"sslmode": "maybe"}, "sslmode must be of the form", id="value"),
        pytest.param({"sslrootcert": "/etc/passwd"}, "without a folder", id="file elsewhere"),
        pytest.param({"sslkey": "../key"}, "without a folder", id="file above"),
        pytest.param({"time_zone": "Asia/Soul"}, "no time zone Asia/Soul", id="unknown zone"),
        pytest.param({"time_zone": "+09:00"}, "as in Asia/Seoul", id="offset of POSIX"),
        pytest.param({"time_zone": "../Asia/Seoul"}, "as in Asia/Seoul", id="zone elsewhere"),
        pytest.param({"time_zone": "Asia"}, "no time zone Asia", id="folder of zones"),
        pytest.param({"keepalives": 1}, "JSON object of texts", id="number"),
        pytest.param([], "JSON object of texts", id="list"),
    ],
)
def test_other_options_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        check_options(options)


def test_certificates_are_files_of_the_credentials_folder(tmp_path: Path, settings: Any) -> None:
    settings.CREDENTIALS_DIR = tmp_path

    keywords = libpq_keywords({"sslmode": "require", "sslcert": "a.crt", "sslrootcert": "system"})

    assert keywords == {
        "sslmode": "require",
        "sslcert": str(tmp_path / "a.crt"),
        "sslrootcert": "system",
    }


SEARCH_PATHS = [
    pytest.param("public", id="one"),
    pytest.param("sales, public", id="two"),
    pytest.param('"Sales 2026","a ""b"""', id="quoted"),
    pytest.param('"$user", public', id="own schema"),
    pytest.param("매출,public", id="Korean"),
    pytest.param('"a\\b"', id="backslash"),
]


@pytest.mark.parametrize("search_path", SEARCH_PATHS)
def test_search_path_reaches_the_server_as_written(
    search_path: str, embedded_postgres: EmbeddedPostgres
) -> None:
    check_search_path(search_path)
    dsn = embedded_postgres.dsn("demo", "demo_reader")
    settings = PostgresSettings.from_dsn(dsn, search_path=search_path)

    with psycopg.connect(**settings.connection_arguments()) as connection:
        row = connection.execute("SHOW search_path").fetchone()

    assert row == (search_path,)


@pytest.mark.parametrize(
    "search_path",
    [
        pytest.param("", id="empty"),
        pytest.param("public -c log_statement=all", id="another setting"),
        pytest.param("public,", id="trailing comma"),
        pytest.param("public\n", id="line end"),
        pytest.param('"a\t-c x=y"', id="tab"),
        pytest.param('"a', id="open quote"),
        pytest.param('""', id="empty name"),
        pytest.param("a.b", id="dot"),
        pytest.param("1st", id="digit first"),
        pytest.param("가" * 22, id="too long"),
    ],
)
def test_other_search_paths_are_refused(search_path: str) -> None:
    with pytest.raises(ValidationError):
        check_search_path(search_path)
