"""Parameters that follow the logic: rows appear, change their type and name, and go as it is written."""

from collections.abc import Collection
from dataclasses import replace
from difflib import SequenceMatcher

from core.analysis import Analysis
from core.statements.optional import find_optional_names
from core.toolspec import Dialect
from toolbuilder.editing.drafts import DraftDocument
from tools.definitions import MAX_PARAMETERS, ParameterDocument
from tools.models import ToolType

# Names that are at least so alike are one that was mended.
_ALIKE = 0.6


def follow_logic(document: DraftDocument, analysis: Analysis) -> DraftDocument:
    """The document with a row for each parameter that the logic uses.

    A new row is required unless the logic lets its parameter be left out.

    One name too many and one alike too few is a renamed parameter, which keeps all that is said of it.
    A row that nobody has touched goes with its name; others stay until they are removed. Of a text with
    faults, which may have half its names only, no row goes.
    """
    used = {found.name: found for found in analysis.parameters}
    document = _rename(document, used)
    rows = [
        row
        for row in document.tool.parameters
        if row.param_name in used or not analysis.is_valid or not _is_pristine(row, document)
    ]
    declared = {row.param_name for row in rows}
    new = [found for name, found in used.items() if name not in declared]
    rows += [
        ParameterDocument(param_name=found.name, is_required=not found.is_optional)
        for found in new[: max(0, MAX_PARAMETERS - len(rows))]
    ]
    auto = {*document.auto_types, *(found.name for found in new)}
    for place, row in enumerate(rows):
        found_type = used.get(row.param_name)
        if found_type and row.param_name in auto:
            rows[place] = row.replace(param_type=found_type.type.value)
    names = {row.param_name for row in rows}
    return DraftDocument(
        tool=document.tool.replace(parameters=tuple(rows)),
        test_values={key: value for key, value in document.test_values.items() if key in names},
        auto_types=tuple(row.param_name for row in rows if row.param_name in auto),
    )


def release_optional(document: DraftDocument, before: str, dialect: Dialect) -> DraftDocument:
    """The document whose logic now lets parameters be left out that `before`, its earlier text, did not.

    Their rows are no longer required, unless somebody has said anything of them.
    """
    if document.tool.tool_type != ToolType.SQL or document.tool.definition == before:
        return document
    begun = find_optional_names(document.tool.definition, dialect) - find_optional_names(
        before, dialect
    )
    rows = (
        row.replace(is_required=False)
        if row.param_name in begun and _is_pristine(row, document)
        else row
        for row in document.tool.parameters
    )
    return replace(document, tool=document.tool.replace(parameters=tuple(rows)))


def types_to_infer(document: DraftDocument) -> DraftDocument:
    """The document as the analysis has to see it: parameters whose type is open are not declared."""
    rows = (row for row in document.tool.parameters if row.param_name not in document.auto_types)
    return replace(document, tool=document.tool.replace(parameters=tuple(rows)))


def _is_pristine(row: ParameterDocument, document: DraftDocument) -> bool:
    """Whether nobody has said anything of the parameter."""
    pristine = ParameterDocument(
        param_name=row.param_name, param_type=row.param_type, is_required=row.is_required
    )
    is_open = row.param_name in document.auto_types and row.param_name not in document.test_values
    return row == pristine and is_open


def _rename(document: DraftDocument, used: Collection[str]) -> DraftDocument:
    declared = [row.param_name for row in document.tool.parameters]
    new = [name for name in used if name not in declared]
    unused = [name for name in declared if name not in used]
    if len(new) != 1 or len(unused) != 1:
        return document
    (old_name,), (new_name,) = unused, new
    is_longer = old_name.startswith(new_name) or new_name.startswith(old_name)
    likeness = SequenceMatcher(None, old_name, new_name, autojunk=False).ratio()
    if not is_longer and likeness < _ALIKE:
        return document
    names = {old_name: new_name}
    return DraftDocument(
        tool=document.tool.replace(
            parameters=tuple(
                row.replace(param_name=names.get(row.param_name, row.param_name))
                for row in document.tool.parameters
            )
        ),
        test_values={names.get(name, name): value for name, value in document.test_values.items()},
        auto_types=tuple(names.get(name, name) for name in document.auto_types),
    )
