"""Which tools use a table, which tables a tool uses, and what of it is gone."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from access.reader_language import stored_text
from catalog.models import CatalogTable
from tools.models import QuarantinedTool, ToolDefinition, ToolUse, ToolUseState
from tools.uses.refresh import refresh_uses


@dataclass(slots=True)
class TableOfTool:
    """A table that a tool uses, its columns by name, and sentences about what is not there."""

    table: CatalogTable
    columns: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ToolOfTable:
    """A tool that uses a table, the columns that it uses, and sentences about what is not there."""

    tool: ToolDefinition
    columns: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """Why the tool is out of service although it is active; '' if it is served, or inactive."""
        try:
            return stored_text(self.tool.quarantine, "reason") if self.tool.is_active else ""
        except QuarantinedTool.DoesNotExist:
            return ""


def read_tools_using(table: CatalogTable) -> list[ToolOfTable]:
    """Tools whose statement names the table, by name, inactive ones too; up to date."""
    refresh_uses()
    related = ("tool__quarantine", "tool__use_state", "table", "column")
    uses = ToolUse.objects.filter(table=table).select_related(*related)
    found: dict[int, ToolOfTable] = {}
    for use in uses.order_by("tool__name", "column__position", "column__name"):
        if use.tool_id not in found:
            found[use.tool_id] = ToolOfTable(use.tool, complaints=_complain_unknown(use))
        _add_use(found[use.tool_id], use)
    return list(found.values())


def read_tables_used(tool: ToolDefinition) -> list[TableOfTool]:
    """Tables that the tool's statement names, by name, with its columns; up to date."""
    refresh_uses()
    related = ("tool__use_state", "table__source", "column")
    uses = ToolUse.objects.filter(tool=tool).select_related(*related)
    found: dict[int, TableOfTool] = {}
    for use in uses.order_by("table__schema", "table__name", "column__position", "column__name"):
        if use.table_id not in found:
            found[use.table_id] = TableOfTool(use.table, complaints=_complain_unknown(use))
        _add_use(found[use.table_id], use)
    return list(found.values())


def count_tools_by_column(table: CatalogTable) -> dict[int, int]:
    """How many tools use each column, by the column's id; of those that any uses."""
    used = ToolUse.objects.filter(~Q(column=None), table=table)
    counts = used.values("column_id").annotate(tools=Count("tool", distinct=True)).order_by()
    return {row["column_id"]: row["tools"] for row in counts}


def _add_use(found: ToolOfTable | TableOfTool, use: ToolUse) -> None:
    if use.column:
        found.columns.append(use.column.name)
    if (complaint := _complain_gone(use)) and complaint not in found.complaints:
        found.complaints.append(complaint)


def _complain_gone(use: ToolUse) -> str:
    """A sentence about the table or column if it is gone, else ''."""
    if use.table.gone_at:
        words = {"table": use.table.name, "date": _date(use.table.gone_at)}
        return _("uses table %(table)s, which has been gone since %(date)s") % words
    if use.column and use.column.gone_at:
        name = f"{use.table.name}.{use.column.name}"
        words = {"column": name, "date": _date(use.column.gone_at)}
        return _("uses column %(column)s, which has been gone since %(date)s") % words
    return ""


def _complain_unknown(use: ToolUse) -> list[str]:
    """Sentences about columns of the table that the catalogue does not know."""
    try:
        unknown = use.tool.use_state.unknown_columns
    except ToolUseState.DoesNotExist:
        return []
    return [
        _("uses column %(column)s, which the catalogue does not know")
        % {"column": f"{use.table.name}.{column['column']}"}
        for column in unknown
        if column["table_id"] == use.table_id
    ]


def _date(moment: datetime) -> str:
    return timezone.localtime(moment).date().isoformat()
