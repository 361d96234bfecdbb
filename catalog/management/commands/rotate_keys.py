"""`manage.py rotate_keys`: stored passwords are encrypted with the first of FIELD_ENCRYPTION_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.rotation import rotate_passwords
from core.errors import ConfigurationError


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
