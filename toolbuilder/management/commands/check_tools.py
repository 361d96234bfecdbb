"""`manage.py check_tools [NAME ...]`: asks the databases whether tools can still be served."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import DefinitionError
from tools.drift import check_drift

BROKEN, WRONG = 1, 2
_EXIT_CODES = """exit codes:
  0    no tool is broken; of a database that is away nothing is said
  1    a tool is broken
  2    wrong arguments"""


class Command(BaseCommand):
    help = (
        "Have the databases prepare the statements of active tools, by default of all. Broken ones"
        " are taken out of service with the reason; those that work again come back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = _EXIT_CODES
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("names", nargs="*", metavar="NAME", help="tools (default: all)")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            report = check_drift(options["names"])
        except DefinitionError as error:
            raise CommandError(str(error), returncode=WRONG) from error
        for tool_id, reason in report.broken.items():
            self.stdout.write(f"{report.names[tool_id]}: broken: {reason}")
        for tool_id, reason in report.unreached.items():
            self.stderr.write(f"{report.names[tool_id]}: not checked: {reason}")
        unreached = f", {len(report.unreached):,} not checked" if report.unreached else ""
        self.stdout.write(
            f"{len(report.checked):,} checked, {len(report.broken):,} broken{unreached}"
        )
        if report.broken:
            raise SystemExit(BROKEN)
