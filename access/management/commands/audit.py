"""`manage.py audit verify` checks the audit trail's chain; `audit export` writes it as CSV; `audit head` its end."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from access.audit.heads import describe_head, find_lost_head
from access.audit.listing import TrailState, export_trail
from access.audit.trail import check_chain

FAULTS = {
    "missing": "entry {} is missing",
    "changed": "entry {} is not what was written",
    "head": "entry {} is the last one, but the head of the trail says otherwise",
}


class Command(BaseCommand):
    help = (
        "Check that no entry of the audit trail was changed or removed (exit code 1 if one was),"
        " or write the trail to standard output as CSV."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["verify", "export", "head"])
        parser.add_argument(
            "--heads", metavar="FILE", help="lines of AUDIT_HEAD_FILE that the trail has to hold"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["action"] == "export":
            for text in export_trail(TrailState()):
                self.stdout.write(text, ending="")
            return
        if options["action"] == "head":
            self.stdout.write(describe_head())
            return
        check = check_chain()
        if check.broken is not None:
            raise CommandError(FAULTS[check.fault].format(check.broken))
        if options["heads"]:
            path = Path(options["heads"])
            try:
                heads = path.read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                text = f"the trail is whole, but {path} cannot be read: {error}"
                raise CommandError(text) from error
            lost = find_lost_head(heads)
            if lost is not None:
                raise CommandError(f"entry {lost} is not the one that was published")
        self.stdout.write(f"{check.entries} entries are whole; the last hash is {check.head}")
