"""The data folder: secrets, ports, logs and the lock."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config.services.state import DataDirectory, hold_lock, is_locked
from core.errors import ConfigurationError


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    directory = DataDirectory(tmp_path / ".data")
    directory.create()
    return directory


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_secrets_are_made_once_and_readable_by_the_owner_only(directory: DataDirectory) -> None:
    first = directory.load_secrets()

    assert directory.load_secrets() == first
    assert mode(directory.root / "secrets.json") == 0o600
    assert mode(directory.root) == 0o700


def test_two_installations_share_no_secret(tmp_path: Path) -> None:
    one, other = DataDirectory(tmp_path / "one"), DataDirectory(tmp_path / "other")
    one.create()
    other.create()

    assert one.load_secrets().api_key != other.load_secrets().api_key


def test_api_key_has_the_form_that_access_reads(directory: DataDirectory) -> None:
    key = directory.load_secrets().api_key

    assert re.fullmatch(r"mcp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}", key)


def test_secrets_file_of_an_older_version_is_completed(directory: DataDirectory) -> None:
    file = directory.root / "secrets.json"
    file.write_text('{"secret_key": "kept"}')

    loaded = directory.load_secrets()

    assert loaded.secret_key == "kept"
    assert loaded == directory.load_secrets()


def test_damaged_secrets_are_not_replaced_silently(directory: DataDirectory) -> None:
    (directory.root / "secrets.json").write_text('{"secret_key": ')

    with pytest.raises(ConfigurationError, match="is damaged; restore it or delete it"):
        directory.load_secrets()


def test_ports_are_chosen_once_and_differ(directory: DataDirectory) -> None:
    ports = directory.load_ports()

    assert len(set(ports.values())) == len(ports)
    assert directory.load_ports() == ports


def test_open_data_folder_is_closed(tmp_path: Path) -> None:
    root = tmp_path / ".data"
    root.mkdir(mode=0o755)

    DataDirectory(root).create()

    assert mode(root) & 0o077 in {0, 0o010}


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(ConfigurationError, match=r"file/\.data cannot be used: Not a directory"):
        DataDirectory(file / ".data").create()


def test_second_holder_of_the_lock_is_told_who_has_it(directory: DataDirectory) -> None:
    with (
        hold_lock(directory.lock_file),
        pytest.raises(ConfigurationError) as refusal,
        hold_lock(directory.lock_file),
    ):
        pass

    assert f"already running as process {os.getpid()} in {directory.root}" in str(refusal.value)


def test_lock_is_free_after_its_holder_was_killed(directory: DataDirectory) -> None:
    program = (
        "import os, sys; from pathlib import Path; from config.services.state import hold_lock\n"
        "with hold_lock(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(directory.lock_file)], check=False)

    assert not is_locked(directory.lock_file)
