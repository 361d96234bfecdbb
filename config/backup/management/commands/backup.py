"""`manage.py backup FILE`: what people have made, in one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backup.writing import write_backup
from core.errors import BackupError


class Command(BaseCommand):
    help = (
        "Write tools, versions, drafts, cases, reviews, the catalogue's texts, documents, toolsets, keys,"
        " rights, limits and uploaded files into one file, which `restore` reads. Passwords and tokens stay out of it"
        " unless they are asked for."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--with-secrets",
            action="store_true",
            help="with hashes of people's passwords, and stored passwords and tokens as"
            " FIELD_ENCRYPTION_KEYS have encrypted them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            written = write_backup(options["file"], with_secrets=options["with_secrets"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{written.path}: {written.rows} rows of {written.tables} tables, {written.files} uploaded"
            f" files, {written.bytes} bytes."
        )
        if options["with_secrets"]:
            self.stderr.write(
                "Stored passwords in it can be read with FIELD_ENCRYPTION_KEYS: keep these elsewhere."
            )
