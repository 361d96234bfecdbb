"""`manage.py restore FILE`: a backup in an empty installation of the same or a later version."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import env
from config.backup.restoring import restore_backup
from core.errors import BackupError


class Command(BaseCommand):
    help = (
        "Put a backup into an empty installation, in one transaction. The tables are made where there"
        " are none; vectors are made again by a job, or by `index_documents`."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--replace",
            action="store_true",
            help="delete what people have made in this installation",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            restored = restore_backup(options["file"], replaces=options["replace"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        manifest = restored.manifest
        self.stdout.write(
            f"{restored.rows} rows of version {manifest.version}, made at {manifest.made_at}, are here."
        )
        if not manifest.has_secrets:
            self.stderr.write(
                "It holds no secrets: give people passwords (create_admin, Access › People), and enter"
                " those of data sources, MCP servers and issuers."
            )
        if not restored.is_indexing:
            self.stderr.write(f"Vectors are missing: run `{env.PROGRAM} index_documents`.")
        if restored.broken_entry is not None:
            raise CommandError(
                f"the audit trail of the backup is broken at entry {restored.broken_entry}; it was so"
                " when the backup was made"
            )
