"""What a key sees at an endpoint, and why not the rest."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth.models import User

from access.limits.models import read_limits, read_used
from access.limits.usage import limit_zone
from access.models import ApiKey
from access.toolsets.models import read_toolsets
from core.grants import Visibility
from core.limits import LimitBook
from core.messages import Message, message
from toolbuilder.toolsets.offering import read_served_tools
from toolbuilder.visibility import hidden_tool_names
from tools.aliases import read_old_names
from tools.toolsets import find_places

NOT_SERVED = message("grant.not_served", "no tool of this name is served now")


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A tool, whether the key sees it, and why."""

    name: str
    is_seen: bool
    because: Message


def find_refusals(key: ApiKey, names: Iterable[str]) -> dict[str, Message]:
    """By tool, of those whose calls by this key a limit refuses now: which one, and until when; one query or two."""
    old_names, now = read_old_names(), datetime.now(UTC)
    book = LimitBook(map(old_names.follow_limit, read_limits()), limit_zone())
    owner = key.owner.get_username() if key.owner else ""
    windows = {
        name: book.windows(book.concerning(owner, key.key_id, name), now)
        for name in (names if book else ())
    }
    # Of calls at once nobody can say how many there are a moment later.
    counted = {window.key for found in windows.values() for window in found if window.ends_at}
    used = read_used(sorted(counted)) if counted else {}
    return {
        name: over[0].refuse(now, book.zone).message
        for name, found in windows.items()
        if (over := [window for window in found if used.get(window.key, 0) >= window.most])
    }


def explain_key(key: ApiKey, toolset: str, user: User) -> list[SeenLine]:
    """Every served tool that the person may know, and names that the key has in vain; by name."""
    served, grant = read_served_tools(), key.grant
    renamed = read_old_names().renamed_tools
    visibility = Visibility(find_places(served), read_toolsets(), renamed)
    names = set(served) | (grant.tools or set())
    lines = []
    for name in sorted(names - hidden_tool_names(user)):
        if name in served:
            verdict = visibility.explain(grant, toolset, name)
            lines.append(SeenLine(name, verdict.is_seen, verdict.because))
        elif name in renamed:
            text = message("grant.old_name", "it is an old name of {tool}", tool=renamed[name])
            lines.append(SeenLine(name, False, text))
        else:
            lines.append(SeenLine(name, False, NOT_SERVED))
    return lines
