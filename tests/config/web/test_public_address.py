"""What WEB_PUBLIC_URL and TRUSTED_PROXIES turn on, as a process with these variables has it."""

import os
import subprocess
import sys
from ipaddress import ip_network
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from config import env

PRODUCTION = {
    "WEB_PUBLIC_URL": "https://tools.example.org",
    "TRUSTED_PROXIES": "10.0.0.0/8",
    "SECRET_KEY": "a5c8d0b2e4f6a8c0d2e4f6a8b0c2d4e6f8a0b2c4d6e8f0a2b4c6d8e0",
    "DATABASE_URL": "postgresql://toolbuilder@127.0.0.1:5432/toolbuilder",
}


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, which has these variables and none of a running `up`."""
    given = {"PATH": os.environ["PATH"], "TOOLBUILDER_DATA_DIR": "/nowhere", **variables}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=django_settings.BASE_DIR, env=given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_check_deploy_is_clean_with_the_documented_settings() -> None:
    checked = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)

    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stderr


def test_check_deploy_says_what_is_missing_without_an_https_address() -> None:
    checked = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION | {"WEB_PUBLIC_URL": ""})  # fmt: skip

    assert checked.returncode == 1
    assert "SESSION_COOKIE_SECURE" in checked.stderr


NAMES = (
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "SECURE_HSTS_SECONDS",
    "CSRF_TRUSTED_ORIGINS",
)


@pytest.mark.parametrize(
    ("variables", "values"),
    [
        pytest.param({}, (False, False, 0, []), id="none"),
        pytest.param(
            {"WEB_PUBLIC_URL": "http://tools:8080"}, (False, False, 0, ["http://tools:8080"]), id="http"
        ),
        pytest.param(
            {"WEB_PUBLIC_URL": "https://tools.example.org/"},
            (True, True, 31_536_000, ["https://tools.example.org"]),
            id="https",
        ),
        pytest.param(
            {"WEB_PUBLIC_URL": "https://tools.example.org", "HSTS_SECONDS": "0"},
            (True, True, 0, ["https://tools.example.org"]),
            id="without HSTS",
        ),
    ],
)  # fmt: skip
def test_https_address_turns_it_on(variables: dict[str, str], values: tuple[Any, ...]) -> None:
    code = f"from config import settings as s; print([getattr(s, n) for n in {NAMES}])"

    printed = run("-c", code, **variables)

    assert printed.stdout.strip() == str(list(values)), printed.stderr


@pytest.mark.parametrize("address", ["tools.example.org", "ftp://a", "https://", "https://a/b"])
def test_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("WEB_PUBLIC_URL", address)

    with pytest.raises(ValueError, match="WEB_PUBLIC_URL must be like"):
        env.origin("WEB_PUBLIC_URL")


def test_proxies_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.0/8, proxy.example.org")

    with pytest.raises(ValueError, match="TRUSTED_PROXIES must be addresses or networks"):
        env.networks("TRUSTED_PROXIES")


@pytest.fixture
def https(settings: Any) -> None:
    settings.IS_HTTPS = True
    settings.WEB_PUBLIC_URL = "https://tools.example.org"
    settings.SECURE_HSTS_SECONDS = 60
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("peer", "is_believed"), [("10.1.1.1", True), ("127.0.0.1", False), ("192.0.2.1", False)]
)
@pytest.mark.usefixtures("https")
def test_scheme_is_believed_of_trusted_proxies_alone(peer: str, is_believed: bool) -> None:
    response = Client(REMOTE_ADDR=peer).get("/sign-in/", headers={"X-Forwarded-Proto": "https"})

    # Django sends HSTS with what it takes for a secure request.
    assert ("Strict-Transport-Security" in response.headers) is is_believed


@pytest.mark.django_db
@pytest.mark.usefixtures("https")
def test_plain_http_at_the_proxy_is_sent_on_to_the_public_address() -> None:
    proxied = Client(REMOTE_ADDR="10.1.1.1")

    response = proxied.get("/tools/?q=a", headers={"X-Forwarded-Proto": "http"})

    assert (response.status_code, response["Location"]) == (
        301,
        "https://tools.example.org/tools/?q=a",
    )
    assert Client().get("/healthz", headers={"X-Forwarded-Proto": "http"}).status_code == 200
