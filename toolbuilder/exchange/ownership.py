"""Tools and the files that they come from: which are owned by files, and which differ from theirs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import F, Q

from access.models import Toolset
from access.roles.rights import Placed
from access.toolsets.models import read_toolsets
from core.errors import EditError
from core.messages import message
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.models import ToolFile
from toolbuilder.reviews.rules import tag_texts
from tools.definitions import ToolDocument
from tools.models import ToolDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """Where a tool comes from, and whether it may be changed elsewhere.

    `toolset` is the one owned by files that it is in, '' for none; `path` is '' of a tool that was
    never applied from a file. `difference` is what is different from that file, None for nothing.
    """

    path: str = ""
    owner: str = ""
    toolset: str = ""
    difference: ShownDifference | None = None


def read_file_state(tool: ToolDefinition) -> FileState:
    """What there is to say of a tool and its file; it is best read with `ToolDefinition.objects.whole()`."""
    row: ToolFile | None = getattr(tool, "file", None)
    toolset = next(_find_owning([tool]), (tool, ""))[1]
    path = row.path if row else f"tools/{tool.name}.yaml" if toolset else ""
    present = ToolDocument.of_row(tool)
    if row is None or row.content_hash == present.content_hash:
        return FileState(path=path, owner=row.owner if row else "", toolset=toolset)
    version = tool.versions.filter(content_hash=row.content_hash).order_by("-number").first()
    applied = ToolDocument.model_validate(version.document) if version else ToolDocument()
    difference = show_difference(applied, present)
    return FileState(path=path, owner=row.owner, toolset=toolset, difference=difference)


def is_owned_by_files(tool: Placed) -> bool:
    """Whether the tool is in a toolset that is owned by files; one query where none is."""
    return any(True for _owned in _find_owning([tool]))


def differing() -> Q:
    """Tools whose newest version says something else than the file that they were applied from."""
    return Q(file__isnull=False) & ~Q(content_hash=F("file__content_hash"))


def require_not_owned(tools: Iterable[Placed]) -> None:
    """Raise EditError if one of the tools is in a toolset that is owned by files; one query where none is."""
    for tool, toolset in _find_owning(tools):
        row = ToolFile.objects.filter(tool__name=tool.name).first()
        raise EditError(
            message(
                "tool.owned_by_files",
                "{name} is in the toolset {toolset}, which is owned by files; change {path} and"
                " apply it.",
                name=tool.name,
                toolset=toolset,
                path=row.path if row else f"tools/{tool.name}.yaml",
            )
        )


def _find_owning(tools: Iterable[Placed]) -> Iterator[tuple[Placed, str]]:
    """Those of the tools that are in toolsets owned by files, each with the name of one."""
    names = set(Toolset.objects.filter(owned_by_files=True).values_list("name", flat=True))
    specs = [spec for name, spec in read_toolsets().items() if name in names] if names else []
    for tool in tools:
        if owning := [spec.name for spec in specs if spec.holds(tool.name, tag_texts(tool.tags))]:
            yield tool, owning[0]
