"""Secrets encrypted in a column: readable with FIELD_ENCRYPTION_KEYS only, and only where they were stored."""

import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models
from django.views.decorators.debug import sensitive_variables

from core.errors import ConfigurationError
from core.messages import message

_KEY_FORM = message(
    "encryption.key_form", "32 random bytes in URL-safe base64, as Fernet.generate_key() makes them"
)


class EncryptedField(models.TextField):  # type: ignore[type-arg]
    """Text that `seal` made, or ''. Stays out of forms, fixtures and exports."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"editable": False, **options})

    def value_to_string(self, _row: models.Model) -> str:
        return ""


@sensitive_variables()
def seal(secret: str, identity: str) -> str:
    """`secret` encrypted with the first key, for `unseal` with the same `identity`.

    Raises ConfigurationError when FIELD_ENCRYPTION_KEYS is missing or wrong.
    """
    return _fernet().encrypt(json.dumps([identity, secret]).encode()).decode()


@sensitive_variables()
def unseal(token: str, identity: str) -> str:
    """The secret in `token`.

    Raises ConfigurationError when no key fits, or when the token was made for another identity.
    """
    try:
        plain = _fernet().decrypt(token)
    except InvalidToken:
        raise ConfigurationError(
            message(
                "encryption.unreadable",
                "the stored password cannot be read; set FIELD_ENCRYPTION_KEYS to the keys"
                " that encrypted it",
            )
        ) from None
    owner, secret = json.loads(plain)
    if owner != identity:
        raise ConfigurationError(
            message(
                "encryption.other_source",
                "the stored password was entered for another data source, host or role;"
                " enter it again",
            )
        )
    return str(secret)


def check_keys() -> None:
    """Raise ConfigurationError when FIELD_ENCRYPTION_KEYS is missing or holds what is no key."""
    _keys()


def reseal(token: str) -> str:
    """`token` encrypted with the first key; the same text when it is already.

    Raises ConfigurationError when no key fits.
    """
    try:
        Fernet(_keys()[0]).decrypt(token)
    except InvalidToken:
        pass
    else:
        return token
    try:
        return _fernet().rotate(token).decode()
    except InvalidToken:
        raise ConfigurationError(
            message("encryption.no_key_fits", "no key of FIELD_ENCRYPTION_KEYS reads it")
        ) from None


def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in _keys()])


@sensitive_variables()
def _keys() -> list[str]:
    keys: list[str] = settings.FIELD_ENCRYPTION_KEYS
    if not keys:
        raise ConfigurationError(
            message(
                "encryption.no_key",
                "FIELD_ENCRYPTION_KEYS is not set; set it to a key, which is {form}",
                form=_KEY_FORM,
            )
        )
    for number, key in enumerate(keys, 1):
        try:
            Fernet(key)
        except ValueError:
            raise ConfigurationError(
                message(
                    "encryption.no_such_key",
                    "FIELD_ENCRYPTION_KEYS: key {number} is not a key, which is {form}",
                    number=number,
                    form=_KEY_FORM,
                )
            ) from None
    return keys
