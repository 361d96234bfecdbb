"""Settings from the environment, and from a running `manage.py up` where a variable is unset."""

import json
import os
import re
import sys
import tomllib
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

BASE_DIR = Path(__file__).resolve().parent.parent
# In the wheel the project's folders are in one of this name; see release/toolbuilder_app.
IS_INSTALLED = BASE_DIR.name == "toolbuilder_app"
# What people type before the name of a command.
PROGRAM = "toolbuilder" if IS_INSTALLED else "python manage.py"

# A database that vanished without a word is noticed in seconds, not when TCP gives up.
_CONNECTION_OPTIONS = {
    "connect_timeout": "3",
    "tcp_user_timeout": "8000",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
}
_HOSTS = re.compile(r"//(?:[^/?#]*@)?(?P<hosts>[^/?#]*)")
# urlsplit's own words hold a part of the password.
_ODD_URL = (
    "is no address that can be read; in a user name or password, write / as %2F, ? as %3F, # as %23,"
    " @ as %40, [ as %5B and ] as %5D"
)


def version() -> str:
    """The version of this program, which pyproject.toml alone says."""
    return str(
        tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "version"
        ]
    )


def data_dir() -> Path:
    """Where the embedded services keep their state: beside a checkout's code, in the user's folder of an installed one."""
    if chosen := os.environ.get("TOOLBUILDER_DATA_DIR"):
        return Path(chosen)
    if not IS_INSTALLED:
        return BASE_DIR / ".data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "toolbuilder"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "toolbuilder"


def log_limits() -> tuple[int, int]:
    """How large a log of `manage.py up` becomes, in bytes, and how many older files are kept of it."""
    return number("LOG_MAX_BYTES", 10_000_000), number("LOG_FILES_KEPT", 3)


@cache
def _shared_environment() -> dict[str, str]:
    # `up` writes what its children got, so that a command in another terminal finds the same services.
    try:
        return dict(json.loads((data_dir() / "environment.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def text(name: str, default: str = "") -> str:
    """The variable's value, or what the file of NAME_FILE holds; an empty one counts as unset."""
    return own_text(name) or _shared_environment().get(name) or default


def own_text(name: str) -> str:
    """As `text`, of this process's environment alone; '' where it has none."""
    if value := os.environ.get(name):
        return value
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise ValueError(f"{name}_FILE: {path} cannot be read ({error})") from None


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """A comma-separated list of addresses and networks such as 10.0.0.0/8; ValueError names the variable."""
    try:
        return [ip_network(word, strict=False) for word in words(name)]
    except ValueError as error:
        raise ValueError(f"{name} must be addresses or networks: {error}") from None


def origin(name: str) -> str:
    """Scheme, host and port of an address such as https://tools.example.org, or ''; ValueError names the variable."""
    value = text(name)
    if not value:
        return ""
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path not in {"", "/"}:
        raise ValueError(f"{name} must be like https://tools.example.org (got {value!r})")
    return f"{parts.scheme}://{parts.netloc}"


def number(name: str, default: int) -> int:
    """A whole number; ValueError names the variable."""
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{name} must be a whole number (got {value!r})") from None


def share(name: str, default: float) -> float:
    """A number from 0 to 1; ValueError names the variable."""
    value = text(name, str(default))
    try:
        found = float(value)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1 (got {value!r})")
    return found


def flag(name: str, *, default: bool = False) -> bool:
    """True for 1, true, yes and on, in any case."""
    value = text(name)
    return value.lower() in {"1", "true", "yes", "on"} if value else default


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """One of `choices`; ValueError names the variable and lists them."""
    value = text(name, default)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)} (got {value!r})")
    return value


def clock(name: str, default: str) -> str:
    """A time of the day such as 02:10; ValueError names the variable."""
    value = text(name, default)
    hour, _colon, minute = value.partition(":")
    is_time = all(part.isascii() and part.isdigit() and len(part) <= 2 for part in (hour, minute))
    if not is_time or int(hour) > 23 or int(minute) > 59:
        raise ValueError(f"{name} must be a time like 02:10 (got {value!r})")
    return value


def zone(name: str, default: str) -> str:
    """The name of a time zone such as Asia/Seoul; ValueError names the variable."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{name} must be a time zone like Asia/Seoul (got {value!r})") from None
    return value


def mail(name: str) -> dict[str, Any]:
    """A server of `smtp://user:password@host:587` (STARTTLS unless its port is 25) or `smtps://…`.

    Without the variable its host is ''. ValueError names the variable, without its value.
    """
    try:
        parts = urlsplit(text(name))
        port = parts.port
    except ValueError:
        raise ValueError(f"{name} {_ODD_URL}") from None
    is_secure = parts.scheme == "smtps"
    if parts.scheme not in {"", "smtp", "smtps"} or (parts.scheme and not parts.hostname):
        raise ValueError(f"{name} must be like smtp://user:password@mail.example.org:587")
    port = port or (465 if is_secure else 587)
    return {
        "host": parts.hostname or "",
        "port": port,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "tls": is_secure,
        "starttls": not is_secure and port != 25,
    }


def django_database(url: str, pool_size: int = 0, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Django's DATABASES entry for a `postgresql://user:password@host:port/name?option=value` URL.

    Several hosts, `db1:5432,db2:5432`, are libpq's: with `target_session_attrs=read-write` the one that takes writes.
    With a pool, connections are shared by the threads of the process; without, each keeps its own.
    ValueError names the variable, without its value.
    """
    found = _HOSTS.search(url)
    start, end = found.span("hosts") if found else (len(url), len(url))
    hosts = url[start:end].split(",")
    try:
        # Python before 3.11.4 takes no list of hosts with an IPv6 address in it.
        parts = urlsplit(url[:start] + hosts[0] + url[end:])
        places = [urlsplit(f"//{host}") for host in hosts]
        ports = ",".join(str(place.port or "") for place in places)
    except ValueError:
        raise ValueError(f"{variable} {_ODD_URL}") from None
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ValueError(f"{variable} must begin with postgresql:// (only PostgreSQL is supported)")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": ",".join(place.hostname or "" for place in places),
        "PORT": ports,
        "OPTIONS": {
            **_CONNECTION_OPTIONS,
            **dict(parse_qsl(parts.query)),
            **({"pool": {"min_size": 1, "max_size": pool_size}} if pool_size else {}),
        },
        "CONN_MAX_AGE": 0 if pool_size else 60,
        "CONN_HEALTH_CHECKS": True,
    }
