"""Checks of the keys that protect this installation."""

import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from access.encryption import check_keys, reseal
from access.models import TokenIssuer
from catalog.models import DataSource, McpServer, ServiceSecret
from config import env
from config.deployment.findings import DeploymentFinding, caution, fault, fine
from core.errors import ConfigurationError

MIN_KEY_CHARACTERS = 50
MIN_KEY_LETTERS = 12
KEY_LINE = "SECRET_KEY=$(python -c 'import secrets; print(secrets.token_urlsafe(50))')"
ENCRYPTION_LINE = (
    "FIELD_ENCRYPTION_KEYS=$(python -c"
    " 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())')"
)
# Rows that hold what FIELD_ENCRYPTION_KEYS encrypt, with their column.
SEALED = (
    (DataSource, "password"),
    (ServiceSecret, "secret"),
    (McpServer, "token"),
    (TokenIssuer, "client_secret"),
    (TokenIssuer, "introspection_secret"),
)


def check_secret_key() -> Iterator[DeploymentFinding]:
    """Whether sessions are signed with a secret that nobody guesses and all processes share."""
    key = env.text("SECRET_KEY")
    if not key:
        yield fault(
            "secret-key",
            "SECRET_KEY is not set: each process makes its own, so that a restart signs everybody"
            " out, and of several processes none believes the others.",
            KEY_LINE,
        )
    elif key.startswith("django-insecure-") or len(set(key)) < MIN_KEY_LETTERS:
        yield fault("secret-key", "SECRET_KEY can be guessed; make a random one.", KEY_LINE)
    elif len(key) < MIN_KEY_CHARACTERS:
        yield fault(
            "secret-key",
            f"SECRET_KEY has {len(key)} characters; it must have {MIN_KEY_CHARACTERS}.",
            KEY_LINE,
        )
    else:
        yield fine("secret-key", f"SECRET_KEY has {len(key)} characters.")


def check_encryption_keys() -> Iterator[DeploymentFinding]:
    """Whether FIELD_ENCRYPTION_KEYS are keys."""
    try:
        check_keys()
    except ConfigurationError as error:
        yield fault("encryption-keys", f"{error}.", ENCRYPTION_LINE)
        return
    keys = settings.FIELD_ENCRYPTION_KEYS
    if len(set(keys)) < len(keys):
        yield caution(
            "encryption-keys",
            "FIELD_ENCRYPTION_KEYS has the same key twice.",
            "FIELD_ENCRYPTION_KEYS=new key,former key",
        )
    else:
        yield fine("encryption-keys", f"Keys that encrypt stored passwords: {len(keys)}.")


def check_stored_secrets() -> Iterator[DeploymentFinding]:
    """Whether every stored password can be read, by the first key."""
    unreadable = former = count = 0
    for model, column in SEALED:
        for sealed in model._default_manager.exclude(**{column: ""}).values_list(column, flat=True):
            count += 1
            try:
                former += reseal(sealed) != sealed
            except ConfigurationError:
                unreadable += 1
    if unreadable:
        yield fault(
            "stored-secrets",
            f"{unreadable} of {count} stored passwords can be read with no key of"
            " FIELD_ENCRYPTION_KEYS; add the key that encrypted them, or enter them again.",
            "FIELD_ENCRYPTION_KEYS=present key,key that encrypted them",
        )
    if former:
        yield caution(
            "stored-secrets",
            f"{former} of {count} stored passwords are encrypted with a former key.",
            f"{env.PROGRAM} rotate_keys",
        )
    if not unreadable and not former:
        yield fine("stored-secrets", f"Stored passwords that can be read: {count}.")


def check_credentials_dir() -> Iterator[DeploymentFinding]:
    """Whether a data source cannot name the secrets of the installation itself as its password."""
    folder = Path(settings.CREDENTIALS_DIR).absolute()
    exposed = [
        name
        for name, value in os.environ.items()
        if name.endswith("_FILE") and Path(value).absolute().parent == folder
    ]
    if exposed:
        yield fault(
            "credentials",
            f"{', '.join(sorted(exposed))}: in CREDENTIALS_DIR, whose files people name as passwords of"
            " data sources, and so can have sent to a server of theirs.",
            "CREDENTIALS_DIR=/run/credentials-of-sources",
        )
    else:
        yield fine("credentials", f"Passwords of data sources by file: {folder}.")


def check_origin_of_settings() -> Iterator[DeploymentFinding]:
    """Whether the settings are this process's own, and not those of a `manage.py up` on this machine."""
    names = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "FIELD_ENCRYPTION_KEYS", "CHROMADB_HOST")
    borrowed = [name for name in names if env.text(name) and not env.own_text(name)]
    if borrowed:
        yield fault(
            "environment",
            f"{', '.join(borrowed)}: taken from a `manage.py up` of this machine"
            f" ({env.data_dir() / 'environment.json'}), which is for trying.",
            "\n".join(f"{name}=…" for name in borrowed),
        )
    elif not env.text("DATABASE_URL"):
        yield fault(
            "environment",
            "DATABASE_URL is not set.",
            "DATABASE_URL=postgresql://toolbuilder:password@db.example.org:5432/toolbuilder?sslmode=verify-full",
        )
    else:
        yield fine("environment", "The settings are of this environment.")
