"""API keys: `mcp_<8 character id>_<32 random bytes in base 62>`, stored as a SHA-256 digest."""

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from access.allowed_tools import every_tool
from access.issuers.models import IssuerRule
from access.models import ApiKey
from core.bearer_tokens import KEY_PREFIX
from core.errors import ConfigurationError
from core.messages import Message, message

ALPHABET = string.digits + string.ascii_letters
SECRET_BYTES = 32
LAST_USED_RESOLUTION = timedelta(minutes=1)
_TOKEN = re.compile(KEY_PREFIX + r"([0-9A-Za-z]{8})_[0-9A-Za-z]{40,64}")


@dataclass(frozen=True)
class IssuedKey:
    """A new key with its token, which nobody can read again."""

    key: ApiKey
    token: str


def new_token(key_id: str = "") -> str:
    """A fresh token, of that key; 256 bits, so that a plain SHA-256 needs no salt and no stretching."""
    key_id = key_id or "".join(secrets.choice(ALPHABET) for _ in range(8))
    return f"{KEY_PREFIX}{key_id}_{_base62(secrets.token_bytes(SECRET_BYTES))}"


def issue_key(
    name: str,
    owner: User | None = None,
    expires_at: datetime | None = None,
) -> IssuedKey:
    """A stored key with every tool, and its token."""
    key = ApiKey(name=name, owner=owner, expires_at=expires_at, allowed_tools=every_tool())
    return create_key(key)


def create_key(key: ApiKey) -> IssuedKey:
    """The key, stored, and its new token."""
    token = new_token()
    _store(key, token)
    return IssuedKey(key, token)


def register_token(token: str, name: str) -> ApiKey:
    """The key of a token that was made elsewhere; stored once, however often this is called."""
    if (key_id := token_key_id(token)) is None:
        raise ConfigurationError(
            message("key.form", "an API key has the form mcp_<8 characters>_<secret>")
        )
    if existing := ApiKey.objects.filter(key_id=key_id).first():
        return existing
    key = ApiKey(name=name, allowed_tools=every_tool())
    _store(key, token)
    return key


def find_key(token: str) -> ApiKey | None:
    """The valid key of this token, or None: unknown, revoked, expired, or of a deactivated owner."""
    if (key_id := token_key_id(token)) is None:
        return None
    key, now = ApiKey.objects.select_related("owner").filter(key_id=key_id).first(), timezone.now()
    if key is None or not key.is_valid_at(now):
        return None
    digest = token_digest(token)
    is_present = hmac.compare_digest(key.digest, digest)
    is_former = hmac.compare_digest(key.previous_digest, digest)
    has_overlap = key.previous_until is not None and now < key.previous_until
    return key if is_present or (is_former and has_overlap) else None


def find_faults(key_ids: Collection[str]) -> dict[str, Message]:
    """By key id why requests with that key are refused now, whatever their secret."""
    keys = ApiKey.objects.select_related("owner").filter(key_id__in=key_ids)
    found = {key.key_id: key for key in keys}
    return {key_id: _fault_of(found.get(key_id)) for key_id in key_ids}


def _fault_of(key: ApiKey | None) -> Message:
    if key is None:
        return message("key.unknown", "is not known")
    if key.revoked_at is not None:
        return message("key.revoked", "is revoked")
    if key.is_suspended:
        return message("key.suspended", "belongs to somebody who is deactivated")
    if not key.is_valid:
        return message("key.expired", "has expired")
    return message("key.wrong", "has another secret")


def rotate_key(key: ApiKey, overlap: timedelta) -> str:
    """A new token of the valid key; the present one is good for the `overlap` yet, one before it no more."""
    with transaction.atomic():
        current = ApiKey.objects.select_for_update().get(pk=key.pk)
        token = new_token(key.key_id)
        key.previous_digest, key.previous_until = current.digest, timezone.now() + overlap
        key.digest = token_digest(token)
        key.save(update_fields=["digest", "previous_digest", "previous_until"])
    return token


def replace_toolset(name: str, new_name: str | None) -> None:
    """Give the keys and rules on claims with the toolset the one of the new name instead, or none.

    Otherwise a later toolset of the name would open itself to whoever had the former one.
    """
    holding = {"toolsets__contains": [name]}
    rows: list[ApiKey | IssuerRule] = [*ApiKey.objects.filter(**holding)]
    for row in [*rows, *IssuerRule.objects.filter(**holding)]:
        others = [held for held in row.toolsets if held not in (name, new_name)]
        row.toolsets = [*others, new_name] if new_name else others
        row.save(update_fields=["toolsets"])


def token_end(key: ApiKey, token: str) -> datetime | None:
    """When the token of a key ends, the former one of a rotated key with the overlap; None is never."""
    is_former = token_digest(token) != key.digest
    ends = [end for end in (key.expires_at, key.previous_until if is_former else None) if end]
    return min(ends, default=None)


def revoke_key(key: ApiKey) -> None:
    """End the key for ever; one that is revoked already keeps its date."""
    if key.revoked_at is None:
        key.revoked_at = timezone.now()
        ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=key.revoked_at)


def note_use(key: ApiKey) -> None:
    """Write, to the minute, that the key was used now."""
    if key.last_used_at is None or key.last_used_at < timezone.now() - LAST_USED_RESOLUTION:
        note_uses([key.key_id])


def note_uses(key_ids: Collection[str]) -> None:
    """Write that these keys were used now."""
    ApiKey.objects.filter(key_id__in=key_ids).update(last_used_at=timezone.now())


def token_key_id(token: str) -> str | None:
    """The public part of a well-formed token."""
    match = _TOKEN.fullmatch(token)
    return match.group(1) if match else None


def token_digest(token: str) -> str:
    """What is stored of a token: SHA-256 in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()


def _store(key: ApiKey, token: str) -> None:
    key.key_id, key.digest = token_key_id(token) or "", token_digest(token)
    key.save(force_insert=True)


def _base62(data: bytes) -> str:
    # 256 bits need 43 digits; a fixed length keeps leading zeros.
    number, digits = int.from_bytes(data, "big"), []
    for _ in range(43):
        number, digit = divmod(number, 62)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
