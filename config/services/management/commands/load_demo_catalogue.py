"""`manage.py load_demo_catalogue`: describes the demo shop's tables after they were scanned."""

from typing import Any

from django.core.management.base import BaseCommand

from config.demo.catalogue import load_catalogue


class Command(BaseCommand):
    help = (
        "Describe the tables of the demo shop in the catalogue, after `scan_catalog`. What people"
        " wrote stays, and nothing is done where the default data source is another database."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"{load_catalogue()} tables of the demo shop described.")
