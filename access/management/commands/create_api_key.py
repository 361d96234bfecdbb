"""`manage.py create_api_key NAME`: a key for an agent, shown once."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from access.allowed_tools import check_allowed_tools, every_tool
from access.claims import check_claims
from access.keys import create_key
from access.models import ApiKey


class Command(BaseCommand):
    help = "Create an API key and print its token, which cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="who or what uses the key, such as claude-desktop")
        parser.add_argument("--owner", help="name of the user that the key belongs to")
        parser.add_argument("--days", type=int, help="days until the key expires (default: never)")
        parser.add_argument(
            "--tool",
            action="append",
            metavar="NAME",
            help="a tool that the key sees; may be repeated (default: every tool)",
        )
        parser.add_argument(
            "--claim",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a fact that bound parameters use, such as tenant=KR; the value is text, or a list"
            """ of texts when written as JSON, such as 'regions=["KR", "JP"]'; may be repeated""",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError("--days must be 1 or more")
        claims = _read_claims(options["claim"])
        expires_at = timezone.now() + timedelta(days=days) if days else None
        key = ApiKey(
            name=options["name"],
            owner=_find_owner(options["owner"]),
            expires_at=expires_at,
            allowed_tools=_read_tools(options["tool"]),
            claims=claims,
        )
        issued = create_key(key)
        self.stdout.write(issued.token)
        self.stderr.write(f"Key {issued.key.key_id} created. The token above is shown only once.")


def _find_owner(username: str | None) -> User | None:
    if username is None:
        return None
    try:
        return User.objects.get(username=username)
    except User.DoesNotExist:
        raise CommandError(f"there is no user {username!r}") from None


def _read_tools(names: list[str] | None) -> list[str]:
    if names is None:
        return every_tool()
    try:
        check_allowed_tools(names)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return names


def _read_claims(texts: Iterable[str]) -> dict[str, Any]:
    claims: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise CommandError(f"--claim must be NAME=VALUE, such as tenant=KR (got {text!r})")
        if name in claims:
            raise CommandError(f"--claim {name} is given twice; write several values as a list")
        claims[name] = _read_claim(value)
    try:
        check_claims(claims)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return claims


def _read_claim(value: str) -> Any:
    # Only a list is read as JSON: 007 and true stay the texts they look like, and fit any type.
    if not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise CommandError(f"--claim: {value!r} is no JSON list of texts") from None
