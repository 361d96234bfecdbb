"""A runtime's row: that it lives, what it serves."""

import os
import socket
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from access.models import RuntimeInstance
from mcp_runtime.snapshot import Snapshot


def write_heartbeat(runtime_id: UUID, snapshot: Snapshot) -> None:
    """Insert or update the runtime's row."""
    RuntimeInstance.objects.update_or_create(
        id=runtime_id,
        defaults={
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "version": settings.VERSION,
            "revision": snapshot.revision,
            "tool_count": len(snapshot.tools),
            "quarantined_count": len(snapshot.quarantined),
            "last_seen_at": timezone.now(),
        },
    )


def remove_heartbeat(runtime_id: UUID) -> None:
    """Delete the row: the runtime stopped on purpose."""
    RuntimeInstance.objects.filter(id=runtime_id).delete()
