"""`manage.py check_sources [NAME ...]`: checks data sources and keeps the outcome."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.models import CheckState, DataSource
from catalog.sources.checking import check_sources


class Command(BaseCommand):
    help = (
        "Check that data sources can be reached and that their roles can only read."
        " Exit code 1 if one is refused or not reached."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", help="data sources (default: all)")

    def handle(self, *_args: Any, **options: Any) -> None:
        names = options["names"]
        sources = DataSource.objects.filter(name__in=names) if names else DataSource.objects.all()
        if missing := set(names) - {source.name for source in sources}:
            raise CommandError(f"there is no data source {', '.join(sorted(missing))}")
        checks = check_sources(list(sources))
        for source, check in zip(sources, checks, strict=True):
            self.stdout.write(f"{source}: {check.state}: {check.summary}")
        bad = [check for check in checks if check.state not in {CheckState.OK, CheckState.WARNING}]
        if bad:
            raise CommandError(f"{len(bad)} of {len(checks)} data sources cannot be used")
