"""An OpenAPI document against the tools of an HTTP service: what is new, changed or gone; and taking it up."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from catalog.changes import source_changed
from catalog.models import DataSource
from catalog.sources.services import make_service
from core.errors import DefinitionError, EditError
from core.http_logic import read_operation
from core.ingest.documents import read_document
from core.ingest.openapi import OpenAPIReading, read_openapi
from core.ingest.operations import Operation, annotations_of_method
from core.ingest.texts import IngestFault
from core.ingest.tool_names import MAX_NAME_CHARACTERS, unique_name
from core.messages import message
from toolbuilder.beginning.naming import to_identifier
from toolbuilder.exchange.importing import ImportOutcome, import_tool
from toolbuilder.history.versions import VersionEntry
from toolbuilder.models import ToolDraft, VersionOrigin
from toolbuilder.taking_up.operation_tools import make_operation_tool, merge_tool
from tools.definitions import ToolDocument
from tools.models import ToolDefinition, ToolType
from tools.names import read_reserved_names

Route = tuple[str, str]


class IngestKind(StrEnum):
    """What an operation is to the tools that are there."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """An operation, the tool that it becomes, and the stored one that calls it already."""

    operation: Operation
    snapshot: ToolDocument
    stored: ToolDefinition | None
    kind: IngestKind

    @property
    def key(self) -> str:
        """What a person chooses it by: unique in its document."""
        return self.operation.name

    @property
    def effect(self) -> str:
        """`reads`, `writes` or `deletes`, by the operation's method."""
        hints = annotations_of_method(self.operation.method)
        if hints and hints.read_only:
            return "reads"
        return "deletes" if hints and hints.destructive else "writes"

    @property
    def is_proposed(self) -> bool:
        """Whether it is chosen unless a person decides otherwise."""
        return self.effect == "reads" and not self.operation.deprecated


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """What a document would do; `gone` are tools whose operation it no longer has, left as they are."""

    title: str
    operations: tuple[PlannedOperation, ...]
    gone: tuple[ToolDefinition, ...] = ()
    faults: tuple[IngestFault, ...] = ()

    def count(self, kind: IngestKind) -> int:
        """How many operations are of the kind."""
        return sum(operation.kind is kind for operation in self.operations)

    @property
    def counts(self) -> dict[str, int]:
        """Operations by kind, with those that are gone and those that cannot be read."""
        found = {kind.value: self.count(kind) for kind in IngestKind}
        return {**found, "gone": len(self.gone), "faults": len(self.faults)}


def read_openapi_text(text: str) -> OpenAPIReading:
    """The operations of a document in JSON or YAML. Raises ImportFileError."""
    return read_openapi(read_document(text))


def find_service(
    name: str, server_url: str, reading: OpenAPIReading, *, allows_host: bool = True
) -> DataSource:
    """The HTTP service of that name; one that is not there is made, not saved.

    Its address is the given one, or else the document's; with `allows_host` it may be a host inside
    that the operator allows. Raises EditError that says what would be right.
    """
    found = DataSource.objects.filter(name=name).first()
    if found is None:
        address = server_url or reading.find_server_url()
        if not address:
            raise EditError(
                message(
                    "ingest.no_service",
                    "there is no HTTP service {name} yet; give its server URL",
                    name=repr(name),
                )
            )
        return make_service(name, address, allows_host=allows_host)
    if not found.is_service:
        raise EditError(
            message(
                "ingest.name_of_database",
                "{name} is a database; choose the name of an HTTP service, or a new one",
                name=name,
            )
        )
    if server_url and found.server_url.rstrip("/") != server_url.rstrip("/"):
        raise EditError(
            message(
                "ingest.other_address",
                "{name} has another address; change it on the data source's page, or choose"
                " a new name",
                name=name,
            )
        )
    return found


def save_service(source: DataSource) -> None:
    """Keep a service that `find_service` made."""
    if source._state.adding:
        source.save()
        source_changed(source)


def plan_ingest(
    reading: OpenAPIReading, source: DataSource, only: Collection[str] = ()
) -> IngestPlan:
    """What taking up the document would do; nothing is written. `only` are names or tags of operations.

    Raises EditError for a name or tag that the document does not have.
    """
    known = {
        word
        for operation in reading.operations
        for word in (operation.name, operation.operation_id, *operation.tags)
    }
    if unknown := sorted(set(only) - known):
        raise EditError(
            message(
                "ingest.unknown_operations",
                "the document has no operation or tag {names}",
                names=", ".join(unknown)[:200],
            )
        )
    stored = _read_stored(source)
    taken = {
        *ToolDefinition.objects.values_list("name", flat=True),
        *ToolDraft.objects.values_list("name", flat=True),
        *read_reserved_names(),
    }
    planned = [
        _plan(operation, source, stored.get(_route(operation)), taken)
        for operation in reading.operations
        if not only or {operation.name, operation.operation_id, *operation.tags} & set(only)
    ]
    routes = {_route(operation) for operation in reading.operations}
    gone = [tool for route, tool in stored.items() if route not in routes]
    return IngestPlan(reading.title, tuple(planned), tuple(gone), reading.faults)


def apply_ingest(
    plan: Iterable[PlannedOperation],
    username: str,
    *,
    note: str = "",
    unreviewed_because: str = "",
) -> Iterator[ImportOutcome]:
    """Publish the operations that are new, inactive, or changed; a refused one hinders no other.

    `unreviewed_because` is an operator's reason to go without a review.
    """
    entry = VersionEntry(
        origin=VersionOrigin.IMPORTED,
        author=username,
        note=note,
        unreviewed_because=unreviewed_because,
    )
    for planned in plan:
        new = planned.snapshot
        if planned.kind is IngestKind.SAME:
            yield ImportOutcome(new.name)
        else:
            yield import_tool(planned.stored, new, entry, is_active=False)


def _plan(
    operation: Operation, source: DataSource, stored: ToolDefinition | None, taken: set[str]
) -> PlannedOperation:
    made = make_operation_tool(operation, source.name)
    if stored is None:
        name = operation.name
        if name in taken:
            prefix = to_identifier(source.name, "api")
            name = unique_name(f"{prefix}_{name}"[:MAX_NAME_CHARACTERS], taken)
        taken.add(name)
        return PlannedOperation(operation, made.replace(name=name), None, IngestKind.NEW)
    old = ToolDocument.of_row(stored)
    before = make_operation_tool(read_operation(old.definition), source.name)
    merged = merge_tool(old, before, made)
    is_same = merged.content_hash == old.content_hash
    kind = IngestKind.SAME if is_same else IngestKind.CHANGED
    return PlannedOperation(operation, merged, stored, kind)


def _route(operation: Operation) -> Route:
    return operation.method.lower(), operation.path


def _read_stored(source: DataSource) -> dict[Route, ToolDefinition]:
    """The service's tools by what they call, without those whose definition cannot be read."""
    if source._state.adding:
        return {}
    found: dict[Route, ToolDefinition] = {}
    tools = ToolDefinition.objects.whole().present()
    for tool in tools.filter(data_source=source, tool_type=ToolType.HTTP).order_by("-pk"):
        try:
            found[_route(read_operation(tool.definition))] = tool
        except DefinitionError:
            continue
    return found
