"""Heads of the audit trail, kept outside of the database: whoever cuts off the trail's end cannot change them too."""

import logging
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from access.audit.models import AuditEntry, AuditHead
from core.errors import EditError
from core.messages import message

logger = logging.getLogger(__name__)


def describe_head() -> str:
    """Number and hash of the newest entry, as `12 ab34…`; '' of an empty trail."""
    head = AuditHead.objects.first()
    return f"{head.number} {bytes(head.hash).hex()}" if head and head.number else ""


def publish_head() -> str:
    """Log the head, and append it to AUDIT_HEAD_FILE if there is one; returns it."""
    if head := describe_head():
        logger.info("the audit trail ends with entry %s", head)
        if settings.AUDIT_HEAD_FILE:
            with Path(settings.AUDIT_HEAD_FILE).open("a", encoding="utf-8") as file:
                file.write(f"{timezone.now():%Y-%m-%dT%H:%M:%SZ} {head}\n")
    return head


def find_lost_head(lines: Iterable[str]) -> int | None:
    """The first number whose entry is gone or has another hash, of lines that end with a published head.

    Raises EditError for a line that is none.
    """
    heads: list[tuple[int, bytes]] = []
    for line in filter(str.strip, lines):
        try:
            *_before, number, digest = line.split()
            heads.append((int(number), bytes.fromhex(digest)))
        except ValueError as error:
            raise EditError(
                message(
                    "audit.no_head",
                    "{line} does not end with a number and a hash",
                    line=repr(line.strip()[:100]),
                )
            ) from error
    numbers = [number for number, _digest in heads]
    known = dict(AuditEntry.objects.filter(pk__in=numbers).values_list("number", "hash"))
    lost = [number for number, digest in heads if bytes(known.get(number) or b"") != digest]
    return min(lost, default=None)
