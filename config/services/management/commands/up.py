"""`manage.py up`: starts everything on this machine."""

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.services.command_line import add_arguments, run, say
from core.errors import ConfigurationError


class Command(BaseCommand):
    help = "Start the embedded services, the web side, the jobs and the MCP server."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run(Namespace(**options), say)
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
