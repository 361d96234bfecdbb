"""The data folder of `manage.py up`: secrets, ports, logs and what others read from it."""

import base64
import fcntl
import json
import os
import secrets
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from config import env
from config.services.ports import choose_free_port
from config.services.postgres import Role, random_passwords
from core.errors import ConfigurationError

BASE62 = string.digits + string.ascii_letters
PORT_NAMES = ("postgres", "valkey", "chroma", "embeddings")


def _base62(length: int) -> str:
    return "".join(secrets.choice(BASE62) for _ in range(length))


@dataclass(frozen=True)
class Secrets:
    """What is made up once for an installation and never changes by itself."""

    secret_key: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    field_encryption_keys: str = field(
        default_factory=lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    )
    admin_password: str = field(default_factory=lambda: _base62(20))
    # 43 digits of base 62 hold 256 bits; the form is the one that access.keys reads.
    api_key: str = field(default_factory=lambda: f"mcp_{_base62(8)}_{_base62(43)}")
    redis_password: str = field(default_factory=lambda: secrets.token_hex(16))
    postgres_passwords: dict[Role, str] = field(default_factory=random_passwords)


@dataclass(frozen=True)
class DataDirectory:
    """The files in one data folder; everything is readable by its owner only."""

    root: Path

    @property
    def endpoints_file(self) -> Path:
        """Where a running installation says its addresses."""
        return self.root / "endpoints.json"

    @property
    def environment_file(self) -> Path:
        """The variables that the running services got; config/env.py falls back on it."""
        return self.root / "environment.json"

    @property
    def shared_files(self) -> tuple[Path, Path]:
        """What other programs read while everything runs."""
        return (self.endpoints_file, self.environment_file)

    @property
    def lock_file(self) -> Path:
        """Held by the one running `up`."""
        return self.root / "lock"

    def create(self) -> None:
        """Make the folder and its logs folder, closed to others."""
        try:
            for folder in (self.root, self.logs):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # An existing folder may be open; root's may let PostgreSQL's group through (0710).
            self.root.chmod(self.root.stat().st_mode & 0o710)
        except OSError as error:
            raise ConfigurationError(
                f"{self.root} cannot be used: {error.strerror}; choose another --data-dir"
            ) from error

    @property
    def logs(self) -> Path:
        """The folder of the services' logs."""
        return self.root / "logs"

    def log(self, name: str) -> Path:
        """The log of a service; it may not be there yet."""
        return self.logs / f"{name}.log"

    def load_secrets(self) -> Secrets:
        """The stored secrets, made at the first call; new kinds are added to an old file."""
        file = self.root / "secrets.json"
        stored = read_json(file)
        loaded = Secrets(**{name: value for name, value in stored.items() if name in SECRET_NAMES})
        if asdict(loaded) != stored:
            write_private_json(file, asdict(loaded))
        return loaded

    def load_ports(self) -> dict[str, int]:
        """The ports of the embedded services, chosen once so that addresses last."""
        file = self.root / "ports.json"
        ports = {str(name): int(port) for name, port in read_json(file).items()}
        missing = [name for name in PORT_NAMES if name not in ports]
        for name in missing:
            ports[name] = choose_free_port(frozenset(ports.values()))
        if missing:
            write_private_json(file, ports)
        return ports


SECRET_NAMES = frozenset(Secrets.__dataclass_fields__)


def read_json(file: Path) -> dict[str, Any]:
    """The object in the file, or an empty one if there is no file."""
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ConfigurationError(f"{file} is damaged; restore it or delete it") from error


def write_private_json(file: Path, value: object) -> None:
    """Replace the file in one step, mode 600; a reader never sees half of it.

    Raises OSError, with the file as it was, if there is no room.
    """
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(value, indent=2) + "\n")
        unfinished.replace(file)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    """Be the only one in this data folder; raises ConfigurationError with the other's process id.

    The kernel frees the lock when we die, in whatever way.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _try_lock(descriptor):
            raise ConfigurationError(
                f"already running as process {read_lock_pid(file)} in {file.parent};"
                f" stop it with `{env.PROGRAM} up --stop`, or choose another --data-dir"
            )
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def is_locked(file: Path) -> bool:
    """True while an `up` holds the lock."""
    try:
        descriptor = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def read_lock_pid(file: Path) -> int | None:
    """The process id in the lock file; None if nobody has written one."""
    try:
        return int(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
