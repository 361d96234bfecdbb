"""`manage.py deploy_check` against real services, set up rightly and wrongly."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as RedisClient

from access.administrators import make_administrator
from config.deployment import addresses, contents, database
from config.deployment import secrets as key_checks
from config.deployment.findings import DeploymentFinding, Gravity, fine
from config.deployment.registry import DeploymentCheck, run_checks
from config.services.embeddings import EmbeddedEmbeddings
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Keeper, start, stop
from config.services.valkey import EmbeddedValkey
from tests.chroma_server import ChromaAddress
from tests.pgbouncer import pooling
from tests.waiting import LIMIT_S, wait_until

MANAGE = Path(__file__).parents[3] / "manage.py"
GOOD = {
    "WEB_PUBLIC_URL": "https://tools.example.org",
    "MCP_PUBLIC_URL": "https://mcp.example.org/mcp",
    "MCP_ALLOWED_HOSTS": "mcp.example.org",
    "TRUSTED_PROXIES": "10.0.0.5",
    "METRICS_PORT": "9464",
}
NOWHERE = "127.0.0.1:1"


@dataclass(frozen=True)
class Result:
    """What the command said of each check, and its exit code."""

    code: int
    findings: dict[str, list[dict[str, str]]]

    def worst(self, check: str) -> dict[str, str]:
        order = [gravity.value for gravity in Gravity]
        return min(self.findings[check], key=lambda one: order.index(one["level"]))


def deploy_check(**changes: str) -> Result:
    """The command in the environment of this run with these variables; '' is one that is not set."""
    command = [sys.executable, str(MANAGE), "deploy_check", "--json"]
    environment = {**os.environ, **changes}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    findings: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(done.stdout)["findings"]:
        findings.setdefault(one["check"], []).append(one)
    return Result(done.returncode, findings)


def find(check: Callable[[], Iterable[DeploymentFinding]]) -> DeploymentFinding:
    """The gravest finding."""
    return min(check(), key=lambda one: list(Gravity).index(one.level))


@pytest.fixture
def unsafe_broker(tmp_path: Path, keeper: Keeper) -> Iterator[str]:
    """A broker that keeps nothing, and throws away what it holds when it is full."""
    server = EmbeddedValkey(tmp_path / "valkey", choose_free_port(), secrets.token_hex(8))
    process = start(server.command(), keeper)
    wait_until(server.is_ready)
    with RedisClient.from_url(server.url) as client:
        client.config_set("appendonly", "no")
        client.config_set("maxmemory-policy", "allkeys-lru")
    yield server.url
    stop(process, signal.SIGTERM, timeout_s=LIMIT_S)
    keeper.forget(process.pid)


@pytest.fixture
def pooled_url(
    embedded_postgres: EmbeddedPostgres, tmp_path: Path, keeper: Keeper
) -> Iterator[str]:
    """The application's database behind PgBouncer in transaction mode."""
    password = embedded_postgres.passwords["app"]
    with pooling(embedded_postgres, keeper, {"app": password}, tmp_path / "pgbouncer.log") as port:
        yield f"postgresql://app:{password}@127.0.0.1:{port}/toolbuilder"


@pytest.mark.django_db(transaction=True)
def test_a_right_installation_has_no_error(
    redis_url: str, chroma: ChromaAddress, embedded_model: EmbeddedEmbeddings
) -> None:
    from django.db import connection

    make_administrator("root", password="")
    name = connection.settings_dict["NAME"]
    # Nobody is at the first host.
    address = os.environ["DATABASE_URL"].rpartition("/")[0].replace("@", f"@{NOWHERE},")
    url = f"{address}/{name}?target_session_attrs=read-write"
    model = {
        **embedded_model.variables,
        "CHROMADB_HOST": chroma.host,
        "CHROMADB_PORT": str(chroma.port),
    }

    result = deploy_check(**GOOD, **model, DATABASE_URL=url, REDIS_URL=redis_url)

    # Tests do without fsync, which no production may.
    errors = {
        name: one for name in result.findings if (one := result.worst(name))["level"] == "error"
    }
    assert {name for name in errors if name not in {"durability", "disk"}} == set(), errors
    assert "fsync" in errors["durability"]["text"]
    assert result.worst("embeddings")["text"].startswith(
        f"{embedded_model.model} gives 384 numbers"
    )
    assert result.worst("administrator")["text"] == "Administrators: 1."
    assert result.worst("database-hosts")["level"] == "ok"
    assert result.worst("source main_db")["level"] != "error"
    assert result.code == 1


def test_what_is_wrong_is_told_with_the_line_that_mends_it(
    embedded_postgres: EmbeddedPostgres, unsafe_broker: str
) -> None:
    result = deploy_check(
        DATABASE_URL=embedded_postgres.dsn("toolbuilder", "superuser"),
        REDIS_URL=unsafe_broker,
        SECRET_KEY="short",
        FIELD_ENCRYPTION_KEYS="none",
        CHROMADB_HOST="127.0.0.1",
        CHROMADB_PORT="1",
        TEXT_EMBEDDING_MODEL_URL=f"http://{NOWHERE}/v1",
        TEXT_EMBEDDING_MODEL_NAME="nothing",
        EMAIL_URL=f"smtp://{NOWHERE}",
        LLM_BASE_URL=f"http://{NOWHERE}/v1",
        LLM_MODEL="nothing",
        DEBUG="on",
    )

    assert result.code == 1
    names = [
        *("secret-key", "encryption-keys", "web-address", "django", "database-role", "migrations"),
        *("redis", "embeddings", "chroma", "mail", "language-model"),
    ]
    assert {name: result.worst(name)["level"] for name in names} == dict.fromkeys(names, "error")
    assert result.worst("migrations")["line"] == "python manage.py migrate"
    assert "NOSUPERUSER" in result.worst("database-role")["line"]
    assert [one["line"] for one in result.findings["redis"]][:2] == [
        "appendonly yes",
        "maxmemory-policy noeviction",
    ]
    # Nothing is asked of tables that are not there.
    assert "administrator" not in result.findings


def test_a_database_that_is_away_is_one_error(redis_url: str) -> None:
    result = deploy_check(DATABASE_URL=f"postgresql://app:hush@{NOWHERE}/toolbuilder")

    assert result.worst("database")["level"] == "error"
    assert "hush" not in json.dumps(result.findings)
    assert "pooler" not in result.findings


def test_a_pooler_that_shares_sessions_is_found(pooled_url: str) -> None:
    result = deploy_check(DATABASE_URL=pooled_url)

    assert "shares sessions by transactions" in result.worst("pooler")["text"]
    assert "pool_mode = session" in result.worst("pooler")["line"]


def test_a_pooler_is_for_runtimes_that_listen_beside_it(
    pooled_url: str, embedded_postgres: EmbeddedPostgres
) -> None:
    direct = embedded_postgres.dsn("toolbuilder", "app")

    result = deploy_check(DATABASE_URL=pooled_url, DATABASE_LISTEN_URL=direct)

    assert result.worst("pooler")["level"] == "warning"
    assert "runtimes alone" in result.worst("pooler")["text"]
    assert result.worst("notifications")["level"] == "ok"


@pytest.mark.parametrize(
    ("changes", "check", "words"),
    [
        pytest.param({"ALLOWED_HOSTS": ["*"]}, addresses.check_web_hosts, "has *", id="any-host"),
        pytest.param(
            {"WEB_PUBLIC_URL": "http://t.example.org", "IS_HTTPS": False},
            addresses.check_web_address,
            "has no TLS",
            id="no-tls",
        ),
        pytest.param(
            {"MCP_PUBLIC_URL": "https://m.example.org/mcp", "MCP_ALLOWED_HOSTS": []},
            addresses.check_mcp_address,
            "refuse the host m.example.org",
            id="refused-host",
        ),
        pytest.param(
            {"MCP_AUTH": "none"}, addresses.check_mcp_hosts, "whoever reaches", id="no-auth"
        ),
        pytest.param(
            {"IS_HTTPS": True, "TRUSTED_PROXIES": []},
            addresses.check_proxies,
            "is not set",
            id="no-proxy",
        ),
        pytest.param(
            {"AUDIT_HEAD_FILE": "/nowhere/heads"},
            contents.check_audit_head,
            "cannot be written",
            id="audit-file",
        ),
    ],
)
def test_unsafe_settings_are_errors(
    settings: Any, changes: dict[str, Any], check: Callable[[], Any], words: str
) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)

    found = find(check)

    assert found.level is Gravity.ERROR
    assert words in found.text
    assert found.line


@pytest.mark.django_db
def test_stored_passwords_that_no_key_reads_are_an_error(settings: Any) -> None:
    from access.encryption import seal
    from tests.factories import make_data_source

    source = make_data_source("sales")
    source.password = seal("hush", source.password_identity())
    source.save()
    settings.FIELD_ENCRYPTION_KEYS = ["A" * 43 + "="]

    found = find(key_checks.check_stored_secrets)

    assert "1 of 1 stored passwords can be read with no key" in found.text


def test_the_installations_secrets_are_not_among_those_of_data_sources(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.CREDENTIALS_DIR = str(tmp_path)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))

    assert find(key_checks.check_credentials_dir).text.startswith(
        "SECRET_KEY_FILE: in CREDENTIALS_DIR"
    )


@pytest.mark.django_db
def test_nobody_who_administers_is_an_error() -> None:
    assert (
        find(contents.check_administrator).line == "python manage.py create_admin NAME --generate"
    )


def test_a_check_that_fails_or_hangs_is_an_error_and_keeps_nobody() -> None:
    def fail() -> Iterator[DeploymentFinding]:
        yield fine("fails", "first")
        raise OSError("redis://:hush@host is away")

    def hang() -> Iterator[DeploymentFinding]:
        import threading

        threading.Event().wait()
        yield fine("hangs", "never")

    checks = [DeploymentCheck("hangs", hang), DeploymentCheck("fails", fail)]

    found = list(run_checks(checks, deadline_s=0.5))

    assert [one.text for one in found] == [
        "No answer in time.",
        "This could not be checked (OSError).",
    ]


@pytest.mark.django_db(transaction=True)
def test_rights_and_notifications_are_tried() -> None:
    checks = (database.check_role, database.check_triggers, database.check_notifications)

    assert [find(check).level for check in checks] == ["warning", "ok", "ok"]
