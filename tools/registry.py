"""Reads of the served set, and notes of what could not be served."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from access.issuers.models import read_issuers
from access.limits.models import read_limits
from access.limits.usage import limit_zone
from access.models import RuntimeInstance
from access.reader_language import to_columns
from access.toolsets.models import read_toolsets
from catalog.sources.settings import (
    SourceSettings,
    read_sources,
    require_usable,
)
from core.bearer_tokens import Issuer
from core.errors import DefinitionError
from core.grants import ToolsetSpec
from core.limits import LimitBook
from core.messages import Message
from core.old_names import NO_OLD_NAMES, OldNames
from core.toolspec import ParameterSpec, ToolSpec
from tools.aliases import read_old_names
from tools.fields import read_flag
from tools.models import (
    QuarantinedTool,
    RegistryChange,
    RegistryRevision,
    RestingTool,
    ToolDefinition,
)
from tools.specs import StoredParameter, StoredTool, build_parameter, build_spec

# Rows read at a time: memory stays small with thousands of tools.
CHUNK_SIZE = 500

# A row's xmin changes with each write by any program; nothing else tells of a changed or deleted
# parameter without reading it. A JSON definition may name any data source.
_FINGERPRINTS = r"""
SELECT tool.id, concat_ws(' ', tool.xmin, parameters.versions), source.name,
    tool.tool_type <> 'HTTP' AND tool.definition ~ '^\s*{'
FROM h_custom_tool tool
LEFT JOIN h_data_source source ON source.id = tool.data_source_id
LEFT JOIN (
    SELECT tool_id, string_agg(concat(id, ':', xmin), ' ' ORDER BY id) AS versions
    FROM h_custom_tool_param WHERE %(ids)s::bigint[] IS NULL OR tool_id = ANY(%(ids)s) GROUP BY tool_id
) parameters ON parameters.tool_id = tool.id
WHERE tool.is_active <> 'N' AND tool.archived_at IS NULL
AND (%(ids)s::bigint[] IS NULL OR tool.id = ANY(%(ids)s))
"""
# JSON as text: most parameters are equal to one that was read before, and are not read again.
_PARAMETERS = """
SELECT tool_id, param_name, param_type, is_required, description, descriptions::text,
    "default"::text, nullable,
    allowed_values::text, minimum, maximum, pattern, example::text, binding, bound_value::text
FROM h_custom_tool_param WHERE tool_id = ANY(%s) ORDER BY position, id
"""
# What a parameter's row has after `tool_id`.
_Stored = tuple[Any, ...]


@dataclass(frozen=True)
class ServedRows:
    """What changed of the served set, at `revision`, and all that stands beside them.

    `fingerprints` are of every active tool, by id, and change with all that is known of its data
    source; `read` are the ids of the tools that were looked at, None all of them. `specs` are the
    changed tools, `unreadable` the reasons of changed rows that are no tools, by id. `is_edit` says that
    nothing but rows of tools has changed.
    """

    revision: int
    sources: SourceSettings
    fingerprints: Mapping[int, str]
    specs: tuple[ToolSpec, ...]
    unreadable: Mapping[int, Message]
    toolsets: Mapping[str, ToolsetSpec]
    read: frozenset[int] | None
    is_edit: bool
    limits: LimitBook
    issuers: tuple[Issuer, ...]
    old_names: OldNames

    def leaves(self, tool_id: int) -> bool:
        """Whether nobody looked at this tool, since it has not changed."""
        return self.read is not None and tool_id not in self.read


def read_served_rows(
    known: Mapping[int, str] | None = None,
    since: int | None = None,
    before: ServedRows | None = None,
    revision: int | None = None,
) -> ServedRows:
    """The active tools whose fingerprint is not the `known` one. A bad row leaves out that tool alone.

    Where `since` is a revision, only tools that changed after it are looked at, if that is known; what
    stands beside them is taken from `before`, the rows of then, where it has not changed. `revision` is
    that of now where it was just read.
    """
    # The revision first: a write in between makes the next poll read again, never miss a change.
    revision = RegistryRevision.current() if revision is None else revision
    read = None if since is None else RegistryChange.changed_between(since, revision)
    is_edit = read is not None and 0 not in read
    kept = before if is_edit else None
    read = read and read - {0}
    sources = kept.sources if kept else read_sources()
    states, any_state = sources.states(), sources.state()
    with connection.cursor() as cursor:
        cursor.execute(_FINGERPRINTS, {"ids": None if read is None else list(read)})
        fingerprints = {
            id_: f"{versions} {any_state if may_name_source else states.get(source, any_state)}"
            for id_, versions, source, may_name_source in cursor
        }
    known = known or {}
    changed = [id_ for id_, value in fingerprints.items() if known.get(id_) != value]
    if read is not None:
        fingerprints |= {id_: value for id_, value in known.items() if id_ not in read}
    specs, unreadable = read_specs(changed, sources)
    # Those that there are lead to the names of now, which the edit may have changed.
    keeps_names = kept is not None and kept.old_names is NO_OLD_NAMES
    old_names = NO_OLD_NAMES if keeps_names else read_old_names()
    return ServedRows(
        *(revision, sources, fingerprints, specs, unreadable),
        *(kept.toolsets if kept else read_toolsets(), read, is_edit),
        kept.limits
        if kept and keeps_names
        else LimitBook(map(old_names.follow_limit, read_limits()), limit_zone()),
        *(kept.issuers if kept else read_issuers(), old_names),
    )


def read_specs(
    ids: list[int], sources: SourceSettings
) -> tuple[tuple[ToolSpec, ...], dict[int, Message]]:
    """The active tools of these ids, and the reasons, by id, of rows that are no tools on these sources."""
    specs: list[ToolSpec] = []
    unreadable: dict[int, Message] = {}
    known_parameters: dict[_Stored, ParameterSpec] = {}

    def read_parameter(stored: _Stored) -> ParameterSpec:
        if (parameter := known_parameters.get(stored)) is None:
            parameter = known_parameters[stored] = _read_parameter(stored)
        return parameter

    for tool, parameters in _read_rows(ids):
        try:
            spec = build_spec(tool, map(read_parameter, parameters), sources.dialects)
            require_usable(sources, spec.logic, tool.updated_by or tool.created_by)
            specs.append(spec)
        except DefinitionError as error:
            unreadable[tool.id] = error.message
    return tuple(specs), unreadable


def _read_rows(ids: list[int]) -> Iterator[tuple[StoredTool, list[_Stored]]]:
    """Active tools of these ids with the rows of their parameters in order; two queries a chunk.

    Plain rows: thousands of models cost more than all the rest of a start.
    """
    columns = [
        "data_source__name" if name == "data_source" else name for name in StoredTool._fields
    ]
    tools = ToolDefinition.objects.active().order_by("id").values_list(*columns)
    for start in range(0, len(ids), CHUNK_SIZE):
        chunk = ids[start : start + CHUNK_SIZE]
        parameters: dict[int, list[_Stored]] = {}
        with connection.cursor() as cursor:
            cursor.execute(_PARAMETERS, [chunk])
            for tool_id, *stored in cursor:
                parameters.setdefault(tool_id, []).append(tuple(stored))
        for row in tools.filter(id__in=chunk):
            tool = StoredTool(*row)
            yield tool, parameters.get(tool.id, [])


def _read_parameter(stored: _Stored) -> ParameterSpec:
    """Raises DefinitionError as `build_parameter`."""
    row = StoredParameter(*stored)
    columns = ("descriptions", "default", "allowed_values", "example", "bound_value")
    texts = {name: getattr(row, name) for name in columns}
    values = {name: None if text is None else json.loads(text) for name, text in texts.items()}
    flags = {name: read_flag(getattr(row, name)) for name in ("is_required", "nullable")}
    return build_parameter(StoredParameter(**(row._asdict() | values | flags)))


def store_quarantine(reasons: Mapping[int, Message]) -> None:
    """Make the stored reasons equal to `reasons` (by tool id); a reason that stays keeps its date."""
    with transaction.atomic():
        QuarantinedTool.objects.exclude(tool_id__in=reasons).delete()
        known = dict(QuarantinedTool.objects.values_list("tool_id", "reason"))
        existing = set(ToolDefinition.objects.filter(id__in=reasons).values_list("id", flat=True))
        for tool_id in existing:
            if known.get(tool_id) != str(reasons[tool_id]):
                QuarantinedTool.objects.update_or_create(
                    tool_id=tool_id, defaults=to_columns("reason", reasons[tool_id])
                )


def store_resting(runtime_id: UUID, tool_ids: Collection[int]) -> None:
    """Say of a runtime that these tools rest there, and no others; a tool that rests on keeps its date."""
    with transaction.atomic():
        resting = RestingTool.objects.filter(runtime_id=runtime_id)
        resting.exclude(tool_id__in=tool_ids).delete()
        if not RuntimeInstance.objects.filter(id=runtime_id).exists():
            # It has just begun, or ends.
            return
        existing = ToolDefinition.objects.filter(id__in=tool_ids).values_list("id", flat=True)
        rows = [RestingTool(tool_id=id_, runtime_id=runtime_id) for id_ in existing]
        RestingTool.objects.bulk_create(rows, ignore_conflicts=True)
