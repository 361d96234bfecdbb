"""`manage.py create_admin NAME`: the first administrator; harmless to repeat."""

import getpass
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import password_validation
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from access.administrators import bind_to_issuer, find_administrators, make_administrator
from access.encryption import seal
from access.issuers.models import TokenIssuer
from core.errors import ConfigurationError


class Command(BaseCommand):
    help = (
        "Make an administrator, by a password or by an issuer. One of that name who is there already"
        " is left alone, so the command may run at every deployment."
    )
    # Says so before it fails where the tables are not there yet.
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", nargs="?", default="admin", help="to sign in with (default: admin)"
        )
        parser.add_argument("--email", default="", help="address of e-mail")
        password = parser.add_mutually_exclusive_group()
        password.add_argument(
            "--password-file", metavar="FILE", help="holds the password; - reads standard input"
        )
        password.add_argument(
            "--generate", action="store_true", help="make a password and print it, once"
        )
        parser.add_argument(
            "--if-none", action="store_true", help="do nothing where there is an administrator"
        )
        issuer = parser.add_argument_group(
            "sign in by an issuer (OpenID Connect), without a password"
        )
        issuer.add_argument("--subject", help="what the issuer calls the person: the claim `sub`")
        issuer.add_argument("--issuer", default="sso", help="the issuer's name here (default: sso)")
        issuer.add_argument(
            "--issuer-url", help="makes the issuer where there is none of that name"
        )
        issuer.add_argument("--client-id", default="", help="of this installation at the issuer")
        issuer.add_argument("--client-secret-file", metavar="FILE", help="holds its secret there")

    @sensitive_variables()
    def handle(self, *_args: Any, **options: Any) -> None:
        if options["if_none"] and find_administrators().exists():
            self.stderr.write("There is an administrator; nothing was done.")
            return
        name = options["name"]
        with transaction.atomic():
            issuer = _take_issuer(options) if options["subject"] else None
            made = make_administrator(name, options["email"], _take_password(options))
            if issuer is not None:
                bind_to_issuer(made.user, issuer, options["subject"])
        if made.password:
            self.stdout.write(made.password)
            self.stderr.write("The password above is shown only once.")
        self.stderr.write(
            f"{name} is an administrator."
            if made.is_new
            else f"{name} was an administrator; left alone."
        )


@sensitive_variables()
def _take_password(options: dict[str, Any]) -> str | None:
    """A good password; '' for one to generate, None for none. Raises CommandError."""
    name = options["name"]
    if options["generate"]:
        return ""
    if options["subject"] and not options["password_file"]:
        return None
    present = User.objects.filter(username=name, is_superuser=True, is_active=True).first()
    if present is not None and present.has_usable_password():
        return None
    path = options["password_file"]
    if path == "-":
        password = sys.stdin.readline().rstrip("\n")
    elif path:
        password = _read_file(path)
    elif sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Again: ") != password:
            raise CommandError("the two are not the same")
    else:
        raise CommandError(
            "give --password-file FILE (- is standard input), --generate or --subject"
        )
    try:
        password_validation.validate_password(password, User(username=name, email=options["email"]))
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return password


@sensitive_variables()
def _take_issuer(options: dict[str, Any]) -> TokenIssuer:
    """The issuer of that name, made where its address is given. Raises CommandError."""
    name, url = options["issuer"], options["issuer_url"]
    if issuer := TokenIssuer.objects.filter(name=name).first():
        return issuer
    if not url:
        raise CommandError(
            f"there is no issuer {name!r}; give --issuer-url and --client-id to make it"
        )
    issuer = TokenIssuer(name=name, url=url, client_id=options["client_id"])
    try:
        if options["client_secret_file"]:
            secret = _read_file(options["client_secret_file"])
            issuer.client_secret = seal(secret, issuer.secret_identity)
        issuer.full_clean()
    except (ValidationError, ConfigurationError) as error:
        texts = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise CommandError(" ".join(texts)) from error
    issuer.save()
    return issuer


def _read_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
