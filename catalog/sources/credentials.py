"""Passwords by reference: `env:NAME` or `file:NAME`, never stored in a row."""

import os
import re
from pathlib import Path

from django.conf import settings

from core.errors import ConfigurationError
from core.messages import message

# A data source's server sees its password, so what protects this installation is never one.
_OWN_SECRETS = re.compile(
    r"SECRET_KEY|FIELD_ENCRYPTION_KEYS|(?:\w+_)?DATABASE_(?:\w+_)?URL|REDIS_URL|EMAIL_URL|METRICS_TOKEN"
    r"|DATA_SOURCE_\w+_URL|TOOLBUILDER_\w+"
)


def resolve_credential(reference: str) -> str:
    """The secret behind a reference, '' for none. Raises ConfigurationError, which names only the reference."""
    if not reference:
        return ""
    kind, _, name = reference.partition(":")
    if kind == "env":
        return _read_variable(name)
    if kind != "file":
        raise ConfigurationError(
            message("credentials.reference_form", "a password reference is env:NAME or file:NAME")
        )
    try:
        return find_credential_file(name).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise ConfigurationError(
            message(
                "credentials.file_missing",
                "CREDENTIALS_DIR holds no readable file {name}",
                name=name,
            )
        ) from None


def find_credential_file(name: str) -> Path:
    """The file of CREDENTIALS_DIR; raises ConfigurationError when `name` leaves that folder."""
    if Path(name).name != name:
        raise ConfigurationError(
            message(
                "credentials.file_name",
                "file:NAME names a file of CREDENTIALS_DIR, without a folder",
            )
        )
    return Path(settings.CREDENTIALS_DIR) / name


def _read_variable(name: str) -> str:
    if _OWN_SECRETS.fullmatch(name):
        raise ConfigurationError(
            message(
                "credentials.own_variable",
                "the variable {name} belongs to this installation; use another",
                name=name,
            )
        )
    try:
        return os.environ[name]
    except KeyError:
        raise ConfigurationError(
            message(
                "credentials.variable_missing",
                "the environment variable {name} is not set",
                name=name,
            )
        ) from None
