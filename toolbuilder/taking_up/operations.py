"""The operations of a service's last document: kept for the editor, listed by tag, and put into a tool."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet

from catalog.models import DataSource, ServiceOperation
from core.errors import DefinitionError
from core.http_logic import read_operation
from core.ingest.operations import ANNOTATIONS_BY_METHOD, Operation
from toolbuilder.editing.drafts import choose_free_name
from toolbuilder.taking_up.operation_tools import make_operation_tool
from tools.definitions import ToolDocument
from tools.models import ToolType

OPERATIONS_LISTED = 800
# What people write of a tool; of these only what they have not changed follows another operation.
_TEXTS = ("title", "description_agent", "tags")


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations of one tag, '' for those without; `chosen_id` is the one that the tool calls."""

    tag: str
    operations: tuple[ServiceOperation, ...]
    chosen_id: int | None = None

    @property
    def read_count(self) -> int:
        return sum(bool(ANNOTATIONS_BY_METHOD[one.method].read_only) for one in self.operations)

    @property
    def write_count(self) -> int:
        return len(self.operations) - self.read_count


def keep_operations(source: DataSource, operations: Iterable[Operation]) -> None:
    """Keep these as the operations of the service, in place of those of an older document."""
    rows = [
        ServiceOperation(
            source=source,
            position=position,
            method=operation.method,
            path=operation.path,
            summary=operation.summary,
            tag=operation.tags[0] if operation.tags else "",
            tool=make_operation_tool(operation, source.name).to_document(),
        )
        for position, operation in enumerate(operations)
    ]
    with transaction.atomic():
        source.operations.all().delete()
        ServiceOperation.objects.bulk_create(rows, batch_size=200)


def list_operations(tool: ToolDocument) -> list[OperationGroup]:
    """The operations of an HTTP tool's service by tag, tags in the order of the document."""
    if tool.tool_type != ToolType.HTTP or not tool.data_source:
        return []
    rows = ServiceOperation.objects.filter(source__name=tool.data_source).defer("tool")
    listed = list(rows[:OPERATIONS_LISTED])
    places = {tag: place for place, tag in enumerate(dict.fromkeys(row.tag for row in listed))}
    listed.sort(key=lambda row: places[row.tag])
    chosen = _find_shown(tool, rows)
    return [
        OperationGroup(tag, tuple(group), chosen.pk if chosen else None)
        for tag, group in groupby(listed, key=lambda row: row.tag)
    ]


def fill_from_operation(
    tool: ToolDocument, operation_id: str, *, is_new: bool
) -> ToolDocument | None:
    """The tool with the request and the parameters of that operation, None if its service has none such.

    Texts that people wrote stay; those that are empty, or of the operation that was there, are the new
    one's. The name changes only of a tool that `is_new`.
    """
    kept = ServiceOperation.objects.filter(source__name=tool.data_source)
    number = int(operation_id) if operation_id.isascii() and operation_id.isdigit() else 0
    found = kept.filter(pk=min(number, 2**62)).first()
    if found is None:
        return None
    old = _find_shown(tool, kept)
    made, before = ToolDocument(**found.tool), ToolDocument(**old.tool) if old else ToolDocument()
    fields = {
        name: getattr(made, name)
        for name in _TEXTS
        if getattr(tool, name) in (getattr(before, name), getattr(ToolDocument(), name))
    }
    if is_new and tool.name in {"", before.name}:
        fields["name"] = choose_free_name(made.name)
    return tool.replace(
        definition=made.definition,
        parameters=made.parameters,
        annotations=made.annotations,
        **fields,
    )


def _find_shown(
    tool: ToolDocument, operations: "QuerySet[ServiceOperation]"
) -> ServiceOperation | None:
    """The operation that the tool calls, None where it is none of them or its request is not written yet."""
    try:
        shown = read_operation(tool.definition)
    except DefinitionError:
        return None
    return operations.filter(method=shown.method, path=shown.path).first()
