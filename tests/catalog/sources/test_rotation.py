"""`manage.py rotate_keys` puts stored passwords under the first key."""

import io
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from catalog.management.commands.rotate_keys import rotate_passwords
from catalog.models import DataSource
from catalog.sources.connections import to_settings
from core.errors import ConfigurationError
from tests.catalog.conftest import MakeSource


@pytest.fixture
def new_key() -> str:
    return Fernet.generate_key().decode()


def test_after_rotation_the_old_key_can_be_dropped(
    make_source: MakeSource, keys: list[str], new_key: str, settings: Any
) -> None:
    source = make_source(secret="hunter2")
    settings.FIELD_ENCRYPTION_KEYS = [new_key, *keys]
    output = io.StringIO()

    call_command("rotate_keys", stdout=output)

    settings.FIELD_ENCRYPTION_KEYS = [new_key]
    source.refresh_from_db()
    assert to_settings(source).password == "hunter2"  # type: ignore[attr-defined]
    assert output.getvalue() == "Encrypted again: 1. Up to date: 0.\n"


def test_second_rotation_changes_nothing(
    make_source: MakeSource, keys: list[str], new_key: str, settings: Any
) -> None:
    make_source(secret="hunter2")
    make_source("without")
    settings.FIELD_ENCRYPTION_KEYS = [new_key, *keys]
    rotate_passwords()
    stored = DataSource.objects.get(name="sales").password

    result = rotate_passwords()

    assert (result.rotated, result.current, result.unreadable) == (0, 1, {})
    assert DataSource.objects.get(name="sales").password == stored


def test_unreadable_password_is_named_and_the_others_are_rotated(
    make_source: MakeSource, keys: list[str], new_key: str, settings: Any
) -> None:
    lost = make_source("lost", secret="lost")
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    make_source("kept", secret="kept")
    settings.FIELD_ENCRYPTION_KEYS = [new_key, *settings.FIELD_ENCRYPTION_KEYS]
    output, errors = io.StringIO(), io.StringIO()

    with pytest.raises(CommandError, match="1 cannot be read") as caught:
        call_command("rotate_keys", stdout=output, stderr=errors)

    assert caught.value.returncode == 1
    assert output.getvalue().startswith("Encrypted again: 1.")
    assert "lost: no key of FIELD_ENCRYPTION_KEYS reads it" in errors.getvalue()
    assert DataSource.objects.get(name="lost").password == lost.password


@pytest.mark.django_db
def test_rotation_without_a_key_says_what_is_missing(settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = []

    with pytest.raises(CommandError, match="FIELD_ENCRYPTION_KEYS is not set"):
        call_command("rotate_keys")
    with pytest.raises(ConfigurationError):
        rotate_passwords()
