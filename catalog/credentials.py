"""Passwords by reference: `env:NAME` or `file:NAME`, never stored in a row."""

import os
from pathlib import Path

from django.conf import settings

from core.errors import ConfigurationError


def resolve_credential(reference: str) -> str:
    """The secret behind a reference, '' for none. Raises ConfigurationError, which names only the reference."""
    if not reference:
        return ""
    kind, _, name = reference.partition(":")
    match kind:
        case "env":
            return _read_variable(name)
        case "file":
            return _read_file(name)
    raise ConfigurationError("a password reference is env:NAME or file:NAME")


def _read_variable(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise ConfigurationError(f"the environment variable {name} is not set") from None


def _read_file(name: str) -> str:
    if Path(name).name != name:
        raise ConfigurationError("file:NAME names a file of CREDENTIALS_DIR, without a folder")
    try:
        return (Path(settings.CREDENTIALS_DIR) / name).read_text().strip()
    except OSError:
        raise ConfigurationError(f"CREDENTIALS_DIR holds no readable file {name}") from None
