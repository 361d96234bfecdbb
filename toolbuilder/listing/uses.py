"""Which tools and drafts use a table or one of its columns, for the list of tools."""

from contextlib import suppress
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable
from catalog.sources.settings import read_sources
from core.errors import DefinitionError
from toolbuilder.editing.drafts import read_draft
from toolbuilder.models import ToolDraft
from tools.models import ToolType, ToolUse
from tools.uses.refresh import find_used, refresh_uses

# Their statements are read when the list is asked for.
DRAFTS_READ = 200
_ID_DIGITS = 18


@dataclass(frozen=True, slots=True)
class UsedName:
    """A table, or one of its columns."""

    table: CatalogTable
    column: CatalogColumn | None = None

    def __str__(self) -> str:
        return f"{self.table.name}.{self.column.name}" if self.column else self.table.name


@dataclass(frozen=True, slots=True)
class Users:
    """Who uses a name: a condition on tools, those among them whose draft does, and drafts of new tools."""

    tools: Q
    draft_ids: tuple[int, ...] = ()


def find_used_name(text: str, user: User) -> UsedName | None:
    """What the ids `table` or `table.column` name, None where that is not open to the user."""
    ids = text.split(".")
    if len(ids) > 2 or any(
        not (id_.isascii() and id_.isdigit()) or len(id_) > _ID_DIGITS for id_ in ids
    ):
        return None
    table = tables_open_to(user).select_related("source").filter(pk=ids[0]).first()
    column = table.columns.filter(pk=ids[1]).first() if table and len(ids) > 1 else None
    return UsedName(table, column) if table and (column or len(ids) == 1) else None


def find_users(used: UsedName | None) -> Users:
    """The tools and drafts whose statement uses the name, in what is served or in what is being written."""
    if used is None:
        return Users(Q(pk__in=()))
    refresh_uses()
    uses = ToolUse.objects.filter(table=used.table)
    if used.column:
        uses = uses.filter(column=used.column)
    sources = read_sources()
    tool_ids, draft_ids = set[int](), list[int]()
    for draft in ToolDraft.objects.changed().order_by("-updated_at")[:DRAFTS_READ]:
        source_name = used.table.source.name if used.table.source else None
        with suppress(DefinitionError):
            tool = read_draft(draft).tool
            is_near = tool.data_source == source_name and used.table.name in tool.definition.lower()
            if tool.tool_type != ToolType.SQL or not is_near:
                continue
            found = find_used(tool.to_spec(sources))
            if any(
                used.table.pk == table and (not used.column or used.column.pk == column)
                for table, column in found
            ):
                draft_ids.append(draft.pk)
                tool_ids |= {draft.tool_id} if draft.tool_id else set()
    return Users(Q(pk__in=uses.values("tool")) | Q(pk__in=tool_ids), tuple(draft_ids))
