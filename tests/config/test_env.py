"""Settings from variables, and from files that secret stores mount."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config import env
from config.services.options import Options


def test_a_variable_may_be_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("hush\n")
    monkeypatch.setenv("SOME_KEY_FILE", str(file))

    assert env.text("SOME_KEY") == "hush"

    monkeypatch.setenv("SOME_KEY", "louder")
    assert env.text("SOME_KEY") == "louder"


def test_up_starts_nothing_for_a_variable_that_is_in_a_file() -> None:
    options = Options(data_dir=Path("/nowhere"), outside={"DATABASE_URL_FILE": "/run/secrets/url"})

    assert options.is_set("DATABASE_URL")
    assert not options.is_set("REDIS_URL")


def test_a_file_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY_FILE", "/nowhere/key")

    with pytest.raises(ValueError, match="SOME_KEY_FILE: /nowhere/key cannot be read"):
        env.text("SOME_KEY")


@pytest.mark.parametrize("password", ["hu/sh", "hu#sh", "hu?sh", "hu\u2100sh", "hu[sh", "hu]sh"])
def test_an_address_that_cannot_be_read_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv("EMAIL_URL", f"smtp://ann:{password}@mail.example.org:587")

    with pytest.raises(ValueError, match=r"DATABASE_URL .*write / as %2F") as of_database:
        env.django_database(f"postgresql://app:{password}@db.example.org/tools")
    with pytest.raises(ValueError, match=r"EMAIL_URL .*write / as %2F") as of_mail:
        env.mail("EMAIL_URL")

    assert "hu" not in f"{of_database.value}{of_mail.value}"


def test_a_database_may_be_at_several_hosts() -> None:
    url = "postgresql://app:a%40b@db1.example.org:6432,db2.example.org,[::1]:5433/tools"

    database = env.django_database(f"{url}?target_session_attrs=read-write")

    assert (database["USER"], database["PASSWORD"], database["NAME"]) == ("app", "a@b", "tools")
    assert database["HOST"] == "db1.example.org,db2.example.org,::1"
    assert database["PORT"] == "6432,,5433"
    assert database["OPTIONS"]["target_session_attrs"] == "read-write"


def test_files_of_ours_are_read_in_a_locale_without_utf_8() -> None:
    program = (
        "import django; django.setup();"
        "from config.web.bundles import BUNDLES, STYLES, write_bundle;"
        "from config.web.variables import list_variables;"
        "list_variables(); list(map(write_bundle, (*BUNDLES, *STYLES)))"
    )
    locale = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **locale},
        cwd=env.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("value", ["Asia/Seol", "Asia", "/etc/passwd", "KST+9"])
def test_time_zone_that_there_is_not_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOME_ZONE", "Asia/Seoul")
    assert env.zone("SOME_ZONE", "UTC") == "Asia/Seoul"
    monkeypatch.setenv("SOME_ZONE", value)

    with pytest.raises(ValueError, match="SOME_ZONE must be a time zone like Asia/Seoul"):
        env.zone("SOME_ZONE", "UTC")
