"""`manage.py deploy_check`: what is missing, unsafe or slow before production, with the line that mends it."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from config.deployment.findings import DeploymentFinding, Gravity
from config.deployment.registry import CHECKS, run_checks


class Command(BaseCommand):
    help = (
        "Read the environment as production will, ask everything it names, and print what is missing,"
        " unsafe or slow, with the line to add. Exit code 1 if there is an error."
    )
    # Its own checks say it better, and go on after it.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object, for pipelines")
        parser.add_argument(
            "--strict", action="store_true", help="warnings make the exit code 1, too"
        )
        parser.add_argument(
            "--only",
            action="append",
            choices=[check.name for check in CHECKS],
            metavar="CHECK",
            help="one check; may be repeated (default: all)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        only = options["only"]
        chosen = [check for check in CHECKS if not only or check.name in only]
        found = list(run_checks(chosen))
        counts = Counter(one.level for one in found)
        if options["json"]:
            summary = {gravity.value: counts[gravity] for gravity in Gravity}
            findings = [one.to_json() for one in found]
            self.stdout.write(json.dumps({"summary": summary, "findings": findings}, indent=2))
        else:
            for one in found:
                self._print(one)
            self.stdout.write(
                f"{counts[Gravity.ERROR]} errors, {counts[Gravity.WARNING]} warnings,"
                f" {counts[Gravity.OK]} ok"
            )
        if counts[Gravity.ERROR] or (options["strict"] and counts[Gravity.WARNING]):
            sys.exit(1)

    def _print(self, one: DeploymentFinding) -> None:
        style = {
            Gravity.ERROR: self.style.ERROR,
            Gravity.WARNING: self.style.WARNING,
            Gravity.OK: self.style.SUCCESS,
        }[one.level]
        self.stdout.write(f"{style(f'{one.level.value:7}')} {one.check}: {one.text}")
        for line in one.line.splitlines():
            self.stdout.write(f"            {line}")
