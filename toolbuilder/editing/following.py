"""Parameters that follow the logic: rows appear, change their type and name, and go as it is written."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from core.analysis import Analysis, FoundParameter
from core.statements.optional import find_optional_names
from core.toolspec import Dialect, JsonValue
from toolbuilder.editing.drafts import DraftDocument
from tools.definitions import MAX_PARAMETERS, ParameterDocument
from tools.models import ToolType

# Names that are at least so alike are one that was mended.
_ALIKE = 0.6


def follow_logic(document: DraftDocument, analysis: Analysis) -> DraftDocument:
    """The document with a row for each parameter that the logic uses.

    A new row is required unless the logic lets its parameter be left out.

    One name too many and one alike too few is a renamed parameter, which keeps all that was said of it.
    A row that nobody has touched goes with its name; others stay until they are removed. Of a text with
    faults, which may have half its names only, no row goes.
    """
    used = {found.name: found for found in analysis.parameters}
    document = _rename(document, used)
    rows = [one for one in document.tool.parameters if not _is_left_over(one, document, analysis)]
    declared = {one.param_name for one in rows}
    new = [found for name, found in used.items() if name not in declared]
    rows += [_declare(found) for found in new[: max(0, MAX_PARAMETERS - len(rows))]]
    auto = {*document.auto_types, *(found.name for found in new)}
    names = {one.param_name for one in rows}
    return DraftDocument(
        tool=document.tool.replace(parameters=tuple(_with_type(one, used, auto) for one in rows)),
        test_values={key: value for key, value in document.test_values.items() if key in names},
        auto_types=tuple(one.param_name for one in rows if one.param_name in auto),
    )


def release_optional(document: DraftDocument, before: str, dialect: Dialect) -> DraftDocument:
    """The document whose logic now lets parameters be left out that `before`, its earlier text, did not.

    Their rows are no longer required, where nobody has said anything of them yet.
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
    rows = (one for one in document.tool.parameters if one.param_name not in document.auto_types)
    return replace(document, tool=document.tool.replace(parameters=tuple(rows)))


def _declare(found: FoundParameter) -> ParameterDocument:
    return ParameterDocument(
        param_name=found.name, param_type=found.type.value, is_required=not found.is_optional
    )


def _with_type(
    row: ParameterDocument, used: dict[str, FoundParameter], auto: set[str]
) -> ParameterDocument:
    found = used.get(row.param_name)
    return row.replace(param_type=found.type.value) if found and row.param_name in auto else row


def _is_left_over(row: ParameterDocument, document: DraftDocument, analysis: Analysis) -> bool:
    if any(found.name == row.param_name for found in analysis.parameters):
        return False
    return analysis.is_valid and _is_pristine(row, document)


def _is_pristine(row: ParameterDocument, document: DraftDocument) -> bool:
    """Whether nobody has said anything of the parameter."""
    pristine = ParameterDocument(
        param_name=row.param_name, param_type=row.param_type, is_required=row.is_required
    )
    is_open = row.param_name in document.auto_types and row.param_name not in document.test_values
    return row == pristine and is_open


def _rename(document: DraftDocument, used: dict[str, FoundParameter]) -> DraftDocument:
    rows = document.tool.parameters
    declared = [one.param_name for one in rows]
    new = [name for name in used if name not in declared]
    unused = [name for name in declared if name not in used]
    if len(new) != 1 or len(unused) != 1 or not _is_alike(unused[0], new[0]):
        return document
    old_name, new_name = unused[0], new[0]
    values: dict[str, JsonValue] = {
        new_name if name == old_name else name: value
        for name, value in document.test_values.items()
    }
    return DraftDocument(
        tool=document.tool.replace(
            parameters=tuple(
                one.replace(param_name=new_name) if one.param_name == old_name else one
                for one in rows
            ),
        ),
        test_values=values,
        auto_types=_renamed(document.auto_types, old_name, new_name),
    )


def _renamed(names: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if name == old else name for name in names)


def _is_alike(old: str, new: str) -> bool:
    is_longer = old.startswith(new) or new.startswith(old)
    return is_longer or SequenceMatcher(None, old, new, autojunk=False).ratio() >= _ALIKE
