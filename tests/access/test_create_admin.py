"""`manage.py create_admin`: the first administrator, by a password or by an issuer."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from access.administrators import find_administrators
from access.audit.models import AuditEntry
from access.issuers.models import IssuerPerson, TokenIssuer
from access.issuers.sign_on import take_person
from access.roles.models import RoleGrant, RoleName

pytestmark = pytest.mark.django_db


def create_admin(*arguments: str) -> str:
    """What the command writes to standard output."""
    written = StringIO()
    call_command("create_admin", *arguments, stdout=written, stderr=StringIO())
    return written.getvalue().strip()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_trail")
def test_a_generated_password_is_printed_once_and_the_trail_has_the_person() -> None:
    password = create_admin("root", "--generate", "--email", "root@example.org")

    user = User.objects.get(username="root")
    assert user.check_password(password)
    assert user.is_superuser
    assert create_admin("root", "--generate") == ""
    user.refresh_from_db()
    assert user.check_password(password)
    rows = AuditEntry.objects.filter(kind="auth_user").values_list("action", "target_name")
    assert list(rows) == [("insert", "root")]


def test_a_password_comes_from_a_file_and_must_be_good(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("password\n")

    with pytest.raises(CommandError, match="too common"):
        create_admin("root", "--password-file", str(file))
    assert not User.objects.exists()

    file.write_text("a right long one 7\n")
    create_admin("root", "--password-file", str(file))
    assert User.objects.get().check_password("a right long one 7")


def test_somebody_who_is_there_becomes_an_administrator(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a right long one 7")
    User.objects.create_user("ann", password="former", is_active=False)

    create_admin("ann", "--password-file", str(file))

    assert [user.username for user in find_administrators()] == ["ann"]


def test_a_role_over_everything_is_an_administrator() -> None:
    ann = User.objects.create_user("ann")
    RoleGrant.objects.create(user=ann, role=RoleName.ADMINISTRATOR)

    create_admin("root", "--generate", "--if-none")

    assert list(User.objects.values_list("username", flat=True)) == ["ann"]


def test_the_first_one_may_come_by_an_issuer_which_is_made_with_them(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("hush\n")
    arguments = ("--subject", "00u1", "--issuer", "company", "--client-id", "tools")
    made = ("--issuer-url", "https://id.example.org", "--client-secret-file", str(file))

    create_admin("ann", *arguments, *made)
    create_admin("ann", *arguments)

    issuer, person = TokenIssuer.objects.get(), IssuerPerson.objects.get()
    assert (issuer.client_id, issuer.read_secret()) == ("tools", "hush")
    assert (person.subject, person.user.username) == ("00u1", "ann")
    assert not person.user.has_usable_password()
    assert take_person(issuer, {"sub": "00u1"}).is_superuser


def test_the_setting_makes_an_administrator_at_the_first_sign_in_alone(settings: Any) -> None:
    settings.SSO_ADMINISTRATORS = ["company:00u1"]
    issuer = TokenIssuer.objects.create(name="company", url="https://id.example.org")

    user = take_person(issuer, {"sub": "00u1"})
    other = take_person(issuer, {"sub": "00u2"})

    assert (user.is_superuser, user.is_staff, other.is_superuser) == (True, True, False)
    User.objects.filter(pk=user.pk).update(is_superuser=False)
    assert not take_person(issuer, {"sub": "00u1"}).is_superuser


def test_what_is_missing_is_said() -> None:
    with pytest.raises(CommandError, match="give --password-file"):
        create_admin("root")
    with pytest.raises(CommandError, match="there is no issuer 'sso'"):
        create_admin("root", "--subject", "00u1")
