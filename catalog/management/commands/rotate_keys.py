"""`manage.py rotate_keys`: stored passwords are encrypted with the first of FIELD_ENCRYPTION_KEYS."""

from dataclasses import dataclass, field
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Model

from access.encryption import check_keys, reseal
from access.models import TokenIssuer
from catalog.models import DataSource, McpServer, ServiceSecret
from core.errors import ConfigurationError


@dataclass
class Rotation:
    """Counts of stored passwords and tokens, and why some cannot be read, by the name of what has them."""

    rotated: int = 0
    current: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


@transaction.atomic
def rotate_passwords() -> Rotation:
    """Encrypt every stored password with the first key; one that no key reads stays as it is.

    Raises ConfigurationError when FIELD_ENCRYPTION_KEYS is missing or wrong, and changes nothing then.
    """
    check_keys()
    result = Rotation()
    secrets: tuple[tuple[type[Model], str, str], ...] = (
        (DataSource, "password", ""),
        (ServiceSecret, "secret", "secret "),
        (McpServer, "token", "MCP server "),
        (TokenIssuer, "client_secret", "issuer "),
        (TokenIssuer, "introspection_secret", "introspection of issuer "),
    )
    for model, column, prefix in secrets:
        rows = model._default_manager.select_for_update().exclude(**{column: ""})
        for pk, name, sealed in rows.values_list("pk", "name", column):
            try:
                token = reseal(sealed)
            except ConfigurationError as error:
                result.unreadable[f"{prefix}{name}"] = str(error)
                continue
            if token == sealed:
                result.current += 1
            else:
                result.rotated += 1
                model._default_manager.filter(pk=pk).update(**{column: token})
    return result


class Command(BaseCommand):
    help = (
        "Encrypt every stored password with the first key of FIELD_ENCRYPTION_KEYS."
        " Afterwards the other keys can be dropped. Exit code 1 if a password cannot be read."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            result = rotate_passwords()
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Encrypted again: {result.rotated}. Up to date: {result.current}.")
        for name, reason in result.unreadable.items():
            self.stderr.write(f"{name}: {reason}")
        if result.unreadable:
            raise CommandError(
                f"{len(result.unreadable)} cannot be read; add the key that encrypted them to"
                " FIELD_ENCRYPTION_KEYS, or enter these passwords again"
            )
