"""What files say of data sources, toolsets and the glossary, written to the rows where these say otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from access.models import Toolset, ToolsetTool
from catalog.changes import source_changed
from catalog.glossary.concepts import (
    LANGUAGES,
    GlossaryEntry,
    join_terms,
    make_entry,
    write_concepts,
)
from catalog.models import DataSource
from core.toolspec import JsonValue
from toolbuilder.exchange.exchanged import ExchangedConcept, ExchangedSource, ExchangedToolset
from toolbuilder.exchange.files import SOURCE_FIELDS
from toolbuilder.history.differences import FieldChange


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A toolset, data source or concept that is new (`changes` None) or has other values than its file."""

    kind: str
    name: str
    path: str
    changes: tuple[FieldChange, ...] | None


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    return tuple(
        FieldChange(name, old[name], value) for name, value in new.items() if old[name] != value
    )


def write_sources(sources: Sequence[ExchangedSource], notes: list[str]) -> list[PlannedPart]:
    """Make the rows of data sources say the same; `notes` gets those that are left as they are."""
    planned = []
    rows = DataSource.objects.select_for_update().in_bulk(
        [source.name for source in sources], field_name="name"
    )
    for source in sources:
        row = rows.get(source.name)
        if row and row.is_from_environment:
            notes.append(f"{source.part.path}: left out, a variable says where {source.name} is")
            continue
        old = {name: getattr(row, name) for name in SOURCE_FIELDS} if row else {}
        changes = _compare(old, source.columns) if row else None
        if changes == ():
            continue
        planned.append(PlannedPart("source", source.name, source.part.path, changes))
        row = row or DataSource(name=source.name)
        for name, value in source.columns.items():
            setattr(row, name, value)
        row.save()
        source_changed(row)
    return planned


def write_toolsets(toolsets: Sequence[ExchangedToolset]) -> list[PlannedPart]:
    """Make the rows of toolsets, and their tools by name, say the same."""
    planned = []
    names = [toolset.name for toolset in toolsets]
    rows = Toolset.objects.select_for_update().in_bulk(names, field_name="name")
    members: dict[int, set[str]] = {row.pk: set() for row in rows.values()}
    for row_id, tool in ToolsetTool.objects.filter(toolset__in=members).values_list(
        "toolset_id", "tool_name"
    ):
        members[row_id].add(tool)
    for toolset in toolsets:
        row = rows.get(toolset.name)
        new: dict[str, JsonValue] = {
            "title": toolset.title,
            "description": toolset.description,
            "tags": list(toolset.tags),
            "review": toolset.review,
            "owned_by_files": toolset.owned_by_files,
        }
        old = {name: getattr(row, name) for name in new} if row else {}
        listed = {"tools": sorted(set(toolset.tools))}
        held = {"tools": sorted(members[row.pk])} if row else {"tools": []}
        changes = _compare(old | held, new | listed) if row else None
        if changes == ():
            continue
        planned.append(PlannedPart("toolset", toolset.name, toolset.part.path, changes))
        row, _is_new = Toolset.objects.update_or_create(name=toolset.name, defaults=new)
        ToolsetTool.objects.filter(toolset=row).exclude(tool_name__in=toolset.tools).delete()
        added = sorted(set(toolset.tools) - set(held["tools"]))
        ToolsetTool.objects.bulk_create(ToolsetTool(toolset=row, tool_name=name) for name in added)
    return planned


def write_concepts_of(concepts: Sequence[ExchangedConcept], username: str) -> list[PlannedPart]:
    """Make the glossary's concepts say the same; others stay. Raises EditError for what cannot be kept."""
    planned: list[PlannedPart] = []

    def make(present: Mapping[str, GlossaryEntry]) -> list[GlossaryEntry]:
        entries = []
        for concept in concepts:
            texts = {name: join_terms(terms) for name, terms in concept.terms.items()}
            entry = make_entry(concept.name, texts)
            entry = replace(entry, note=concept.note, is_active=concept.is_active)
            kept = present.get(entry.key)
            changes = _compare(_columns_of(kept), _columns_of(entry)) if kept else None
            if changes != ():
                planned.append(PlannedPart("concept", entry.key, concept.part.path, changes))
            entries.append(entry)
        return entries

    if concepts:
        write_concepts(make, username)
    return planned


def _columns_of(entry: GlossaryEntry) -> dict[str, JsonValue]:
    terms: dict[str, JsonValue] = {name: list(entry.terms.get(name, ())) for name in LANGUAGES}
    return {**terms, "note": entry.note, "in_use": entry.is_active}
