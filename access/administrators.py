"""Who may administer, and the first of them: by a password, or by an issuer."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.views.decorators.debug import sensitive_variables

from access.issuers.models import IssuerPerson, TokenIssuer
from access.roles.models import RoleName

# Some 120 bits, and nothing that a shell or a form changes.
PASSWORD_BYTES = 15


@dataclass(frozen=True, slots=True)
class MadeAdministrator:
    """An administrator; `password` is a generated one, shown once, '' otherwise."""

    user: User
    is_new: bool
    password: str = ""


def find_administrators() -> QuerySet[User]:
    """Who may do everything: superusers, and people with that role over all, or in a group that has it."""
    role = {"role": RoleName.ADMINISTRATOR, "toolset": None}
    of_person = Q(**{f"role_grants__{name}": value for name, value in role.items()})
    of_group = Q(**{f"groups__role_grants__{name}": value for name, value in role.items()})
    rights = Q(is_superuser=True) | of_person | of_group
    return User.objects.filter(rights, is_active=True).distinct()


@sensitive_variables()
@transaction.atomic
def make_administrator(
    name: str, email: str = "", password: str | None = None
) -> MadeAdministrator:
    """The superuser of that name; one that is there keeps password and address, and is not made again.

    Without a password they sign in by an issuer; '' has one generated. Somebody of that name who is no
    superuser becomes one, with the password that is given.
    """
    user = User.objects.select_for_update().filter(username=name).first()
    # Without a password, as after a restore, they get the one that is given.
    has_sign_in = user is not None and (password is None or user.has_usable_password())
    if user is not None and user.is_superuser and user.is_active and has_sign_in:
        return MadeAdministrator(user, is_new=False)
    is_new = user is None
    user = user or User(username=name, email=email)
    generated = secrets.token_urlsafe(PASSWORD_BYTES) if password == "" else ""
    user.is_superuser = user.is_staff = user.is_active = True
    if password is not None or is_new:
        user.set_password(generated or password)
    user.save()
    return MadeAdministrator(user, is_new=True, password=generated)


def bind_to_issuer(user: User, issuer: TokenIssuer, subject: str) -> None:
    """Let the person sign in by the issuer, which knows them by this subject."""
    IssuerPerson.objects.update_or_create(issuer=issuer, subject=subject, defaults={"user": user})
