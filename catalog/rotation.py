"""Stored passwords under a new key."""

from dataclasses import dataclass, field

from django.db import transaction

from catalog.encryption import check_keys, reseal
from catalog.models import DataSource, McpServer
from core.errors import ConfigurationError


@dataclass
class Rotation:
    """Counts of stored passwords and tokens, and why some cannot be read, by the name of what has them."""

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
        if token := _reseal(source.name, source.password, result):
            DataSource.objects.filter(pk=source.pk).update(password=token)
    for server in McpServer.objects.select_for_update().exclude(token=""):
        if token := _reseal(f"MCP server {server.name}", server.token, result):
            McpServer.objects.filter(pk=server.pk).update(token=token)
    return result


def _reseal(name: str, sealed: str, result: Rotation) -> str:
    """The secret under the first key where that is news, else ''; counted in the result."""
    try:
        token = reseal(sealed)
    except ConfigurationError as error:
        result.unreadable[name] = str(error)
        return ""
    if token == sealed:
        result.current += 1
        return ""
    result.rotated += 1
    return token
