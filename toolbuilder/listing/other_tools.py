"""Tools that no row of this installation defines, as the list shows them: of other MCP servers, and built in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from access.roles.rights import tool_reach
from catalog.models import McpTool
from core.ingest.remote_tools import served_name
from toolbuilder.gates import SEE_TOOLS
from toolbuilder.toolsets.offering import BUILTIN, PROXIED
from toolbuilder.visibility import hidden_tool_names
from tools.builtin.registry import BUILTIN_SPECS
from tools.names import read_reserved_names

_ACTIVE = Q(is_active=True, gone_at=None, server__is_active=True, accepted__isnull=False)
_CHANGED = Q(accepted__isnull=False) & ~Q(seen_digest=F("accepted_digest"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTool:
    """A proxied or built-in tool; `id` is that of a proxied one's row, `own_name` its server's name for it.

    `digest` is that of what the server says of it, `has_changed` where that is not what was accepted.
    """

    name: str
    kind: str
    is_active: bool
    tags: tuple[str, ...]
    title: str = ""
    description: str = ""
    id: int = 0
    server: str = ""
    own_name: str = ""
    digest: str = ""
    has_changed: bool = False
    is_gone: bool = False
    accepted_at: datetime | None = None

    def has_words(self, words: list[str]) -> bool:
        """Whether its texts hold each of the words, which are in small letters."""
        text = " ".join((self.name, self.title, self.description, *self.tags)).lower()
        return all(word in text for word in words)


def find_other_tools(user: User, words: list[str]) -> list[OtherTool]:
    """Those that the user sees and whose texts hold the words, in no order; three queries."""
    reach, hidden = tool_reach(user, SEE_TOOLS), hidden_tool_names(user)
    proxied = read_proxied_tools(McpTool.objects.all(), with_texts=bool(words))
    return [
        tool
        for tool in (*proxied, *list_builtin_tools())
        if tool.name not in hidden and reach.holds(tool) and tool.has_words(words)
    ]


def read_proxied_tools(
    tools: "QuerySet[McpTool]", *, with_texts: bool = True
) -> Iterator[OtherTool]:
    """As their servers describe them; without their texts where only names are asked for. One query."""
    texts: dict[str, Any] = {name: Value("") for name in ("title", "description")}
    if with_texts:
        # Agents are told what was accepted.
        texts = {
            name: Coalesce(
                KT(f"accepted__{name}"), KT(f"seen__{name}"), Value(""), output_field=TextField()
            )
            for name in texts
        }
    rows = tools.order_by().values_list(
        *("pk", "server__name", "name", "seen_digest", "accepted_at"),
        *(_ACTIVE, _CHANGED, Q(gone_at__isnull=False), *texts.values()),
    )
    for pk, server, name, digest, at, is_active, has_changed, is_gone, title, description in rows:
        yield OtherTool(
            name=served_name(server, name),
            kind=PROXIED,
            is_active=bool(is_active),
            tags=(server,),
            title=title,
            description=description,
            id=pk,
            server=server,
            own_name=name,
            digest=digest,
            has_changed=bool(has_changed),
            is_gone=is_gone,
            accepted_at=at,
        )


def list_builtin_tools() -> list[OtherTool]:
    """All, with whether MCP_BUILTIN_TOOLS asks for them."""
    served = read_reserved_names()
    return [
        OtherTool(
            name=spec.name,
            kind=BUILTIN,
            is_active=spec.name in served,
            tags=spec.tags,
            title=spec.title,
            description=spec.description,
        )
        for spec in BUILTIN_SPECS.values()
    ]
