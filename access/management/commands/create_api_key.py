"""`manage.py create_api_key NAME`: a key for an agent, shown once."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from access.keys import issue_key


class Command(BaseCommand):
    help = "Create an API key and print its token, which cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="who or what uses the key, such as claude-desktop")
        parser.add_argument("--owner", help="name of the user that the key belongs to")
        parser.add_argument("--days", type=int, help="days until the key expires (default: never)")

    def handle(self, *_args: Any, **options: Any) -> None:
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError("--days must be 1 or more")
        expires_at = timezone.now() + timedelta(days=days) if days else None
        issued = issue_key(options["name"], _find_owner(options["owner"]), expires_at)
        self.stdout.write(issued.token)
        self.stderr.write(f"Key {issued.key.key_id} created. The token above is shown only once.")


def _find_owner(username: str | None) -> User | None:
    if username is None:
        return None
    try:
        return User.objects.get(username=username)
    except User.DoesNotExist:
        raise CommandError(f"there is no user {username!r}") from None
