"""`manage.py create_api_key NAME`: a key for an agent, shown once; `--rotate KEY_ID`: a new token of one."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from datetime import timedelta
from difflib import get_close_matches
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from access.allowed_tools import EVERY_TOOL, check_allowed_tools, every_tool
from access.claims import check_claims
from access.keys import create_key, rotate_key
from access.models import ApiKey, Toolset
from access.networks import check_networks
from access.tool_names import offered_sources, tool_names
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.grants import DEFAULT_SOURCE, BuiltinGroup

MOST_OVERLAP_HOURS = 24 * 30
NO_SOURCE = "none"
_OF_NEW_KEYS = ("owner", "days", "tool", "toolset", "group", "sql_source", "network", "claim")
Given = TypeVar("Given", list[str], dict[str, Any])

# A hundred years; who means longer leaves it out.
_MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Create an API key and print its token, which cannot be shown again."
    # Says so before it fails where the tables are not there yet.
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", nargs="?", help="who or what uses the key, such as claude-desktop"
        )
        parser.add_argument("--owner", help="name of the user that the key belongs to")
        parser.add_argument("--days", type=int, help="days until the key expires (default: never)")
        _add_scopes(parser)
        parser.add_argument(
            "--rotate",
            metavar="KEY_ID",
            help="give this key a new token instead of making a key; it keeps its rights",
        )
        parser.add_argument(
            "--overlap-hours",
            type=int,
            default=24,
            help="hours for which the former token of a rotated key stays good (default: 24)",
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
        if options["rotate"]:
            if new := [name for name in _OF_NEW_KEYS if options[name]]:
                option = new[0].replace("_", "-")
                raise CommandError(f"--{option} is for a new key; a rotated one keeps what it has")
            self._rotate(options["rotate"], options["overlap_hours"])
            return
        days, name = options["days"], options["name"]
        if not name:
            raise CommandError("name the key, such as claude-desktop, or one to --rotate")
        if len(name) > (longest := ApiKey._meta.get_field("name").max_length or 0):
            raise CommandError(f"a name has at most {longest} characters")
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise CommandError(f"--days must be 1 to {_MOST_DAYS:,}")
        networks = _checked(check_networks, options["network"])
        scopes = options["toolset"] or options["group"]
        every_or_none = [] if scopes else every_tool()
        tools = every_or_none if options["tool"] is None else options["tool"]
        _require_toolsets(options["toolset"])
        key = ApiKey(
            name=name,
            owner=_find_owner(options["owner"]),
            expires_at=timezone.now() + timedelta(days=days) if days else None,
            allowed_tools=_checked(check_allowed_tools, tools),
            toolsets=options["toolset"],
            builtin_groups=options["group"],
            free_sql_sources=_read_sources(options["sql_source"]),
            allowed_networks=networks,
            claims=_read_claims(options["claim"]),
        )
        issued = create_key(key)
        self.stdout.write(issued.token)
        self.stderr.write(f"Key {issued.key.key_id} created. The token above is shown only once.")
        self._warn_of_absent("tool", options["tool"], tool_names)
        self._warn_of_absent("data source", options["sql_source"], offered_sources)

    def _warn_of_absent(
        self, kind: str, named: list[str] | None, offered: Callable[[User], list[str]]
    ) -> None:
        """Name what is not there: made later than the key, or a typing error."""
        if not named:
            return
        known = offered(User(is_superuser=True))
        for name in sorted(
            {*named}.difference(known, (EVERY_TOOL, DEFAULT_SOURCE_NAME, NO_SOURCE))
        ):
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            self.stderr.write(f"Warning: there is no {kind} {name!r} as yet{hint}")

    def _rotate(self, key_id: str, hours: int) -> None:
        key = ApiKey.objects.select_related("owner").filter(key_id=key_id).first()
        if key is None or not key.is_valid:
            raise CommandError(f"there is no valid key {key_id!r}")
        if not 0 <= hours <= MOST_OVERLAP_HOURS:
            raise CommandError(f"--overlap-hours must be between 0 and {MOST_OVERLAP_HOURS}")
        self.stdout.write(rotate_key(key, timedelta(hours=hours)))
        self.stderr.write(
            f"Key {key_id} has a new token, shown only now; the former one is good for {hours} h."
        )


def _add_scopes(parser: ArgumentParser) -> None:
    """What the key may use, and from where."""
    parser.add_argument(
        "--tool",
        action="append",
        metavar="NAME",
        help="a tool that the key sees; may be repeated (default: every tool, unless a toolset"
        " or a group is named)",
    )
    parser.add_argument(
        "--toolset",
        action="append",
        default=[],
        metavar="NAME",
        help="a toolset whose tools the key sees; may be repeated",
    )
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        choices=[group.value for group in BuiltinGroup],
        help="built-in tools that the key sees; may be repeated",
    )
    parser.add_argument(
        "--sql-source",
        action="append",
        metavar="NAME",
        help=f"a data source on which the key may run SQL of its own, {DEFAULT_SOURCE_NAME} for"
        f" the default one, {NO_SOURCE} for no one; may be repeated (default: every one)",
    )
    parser.add_argument(
        "--network",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="an address or a network, such as 10.0.0.0/8, from which alone the key may be used;"
        " may be repeated",
    )


def _find_owner(username: str | None) -> User | None:
    if username is None:
        return None
    owner = User.objects.filter(username=username).first()
    if owner is None:
        raise CommandError(f"there is no user {username!r}")
    if not owner.is_active:
        raise CommandError(f"{username} is deactivated: their keys are refused")
    return owner


def _checked(check: Callable[[Any], None], given: Given) -> Given:
    """The given names, once the check has passed."""
    try:
        check(given)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return given


def _require_toolsets(names: list[str]) -> None:
    known = set(Toolset.objects.filter(name__in=names).values_list("name", flat=True))
    if unknown := [name for name in names if name not in known]:
        raise CommandError(f"there is no toolset {unknown[0]!r}")


def _read_sources(names: list[str] | None) -> list[str]:
    if names is None:
        return every_tool()
    if NO_SOURCE in names and len(names) > 1:
        raise CommandError(f"--sql-source {NO_SOURCE} stands alone")
    return [
        DEFAULT_SOURCE if name == DEFAULT_SOURCE_NAME else name
        for name in names
        if name != NO_SOURCE
    ]


def _read_claims(texts: Iterable[str]) -> dict[str, Any]:
    claims: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise CommandError(f"--claim must be NAME=VALUE, such as tenant=KR (got {text!r})")
        if name in claims:
            raise CommandError(f"--claim {name} is given twice; write several values as a list")
        claims[name] = _read_claim(value)
    _checked(check_claims, claims)
    return claims


def _read_claim(value: str) -> Any:
    # Only a list is read as JSON: 007 and true stay the texts they look like, and fit any type.
    if not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise CommandError(f"--claim: {value!r} is no JSON list of texts") from None
