"""Stored passwords under a new key."""

from dataclasses import dataclass, field

from django.db import transaction

from catalog.encryption import check_keys, reseal
from catalog.models import DataSource
from core.errors import ConfigurationError


@dataclass
class Rotation:
    """Counts of stored passwords, and why some cannot be read, by data source name."""

    rotated: int = 0
    current: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


@transaction.atomic
def rotate_passwords() -> Rotation:
    """Encrypt every stored password with the first key; one that no key reads stays as it is.

    Raises ConfigurationError when FIELD_ENCRYPTION_KEYS is missing or wrong, and changes nothing then.
    """
    check_keys()
    result = Rotation()
    for source in DataSource.objects.select_for_update().exclude(password=""):
        try:
            token = reseal(source.password)
        except ConfigurationError as error:
            result.unreadable[source.name] = str(error)
            continue
        if token == source.password:
            result.current += 1
            continue
        DataSource.objects.filter(pk=source.pk).update(password=token)
        result.rotated += 1
    return result
