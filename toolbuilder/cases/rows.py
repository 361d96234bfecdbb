"""The stored test cases of a tool, or of the draft of a new one: read, saved, kept with versions."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from django.db import IntegrityError, transaction
from django.db.models import Sum, TextField
from django.db.models.functions import Cast, Length
from django.utils import timezone
from django.utils.translation import gettext as _

from core.answer_differences import ComparedAnswer, read_compared_answer
from core.cases.documents import (
    MAX_CASES,
    MAX_GOLDEN_BYTES,
    CaseDocument,
    GoldenAnswer,
    read_case,
    require_small,
)
from core.cases.outcomes import answer_size
from core.errors import EditError
from core.messages import message
from core.toolspec import JsonValue
from toolbuilder.models import ToolCase, ToolDraft
from tools.definitions import require_storable
from tools.models import ToolDefinition

# Each version keeps them.
MAX_GOLDEN_TOTAL = 5_000_000
# What a changed case no longer knows.
_NO_RESULT = {
    "state": "",
    "failure": "",
    "failure_message": None,
    "difference": None,
    "answer": None,
    "elapsed_ms": None,
    "ran_at": None,
    "logic_hash": "",
}


def read_row(row: ToolCase) -> CaseDocument:
    """The case of a row, with its golden answer."""
    golden = {"golden": row.golden} if row.golden is not None else {}
    return read_case({**row.document, **golden}, row.name)


def save_case(
    tool: ToolDefinition | None,
    draft: ToolDraft | None,
    case: CaseDocument,
    username: str,
    *,
    row: ToolCase | None = None,
) -> ToolCase:
    """The row of a case, new unless `row` is given; what it said of an earlier content is forgotten.

    Raises EditError for a name that is taken, for too many cases and for golden answers that are too
    large together, DefinitionError for what could not be stored.
    """
    columns = _columns_of(case)
    if row is None:
        if ToolCase.objects.of(tool, draft).count() >= MAX_CASES:
            raise EditError(
                message("case.too_many", "A tool has at most {limit} cases.", limit=MAX_CASES)
            )
        row = ToolCase(tool=tool, draft=None if tool else draft, created_by=username)
    if case.golden:
        others = ToolCase.objects.of(tool, draft).exclude(pk=row.pk).order_by()
        kept = others.aggregate(size=Sum(Length(Cast("golden", TextField()))))["size"] or 0
        _require_room(kept + answer_size(case.golden.answer))
    for name, value in {**columns, **_NO_RESULT}.items():
        setattr(row, name, value)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        # Also where two people save the same name at once.
        raise EditError(
            message("case.name_taken", "There is a case called {name} already.", name=case.name)
        ) from error
    return row


def replace_cases(tool: ToolDefinition, cases: Sequence[CaseDocument], username: str) -> None:
    """Make these the cases of the tool; one that says the same keeps its row and its last result."""
    hashes = {case.name: _columns_of(case)["content_hash"] for case in cases}
    with transaction.atomic():
        present = {row.name: row for row in tool.cases.listed().select_for_update()}
        gone = [row.pk for name, row in present.items() if name not in hashes]
        tool.cases.filter(pk__in=gone).delete()
        for case in cases:
            row = present.get(case.name)
            if row is None or row.content_hash != hashes[case.name]:
                save_case(tool, None, case, username, row=row)


def rename_in_cases(rows: Iterable[ToolCase], names: Mapping[str, str]) -> None:
    """Give the arguments of these cases new names, by old one; what came of each stays."""
    for row in rows if names else ():
        columns = _columns_of(read_row(row).rename_arguments(names))
        kept = {name: columns[name] for name in ("document", "content_hash")}
        ToolCase.objects.filter(pk=row.pk).update(**kept)


def create_cases(cases: Mapping[int, Sequence[CaseDocument]], username: str) -> None:
    """Give new tools, by their ids, their cases. Raises EditError for too large golden answers."""
    for given in cases.values():
        _require_room(sum(answer_size(case.golden.answer) for case in given if case.golden))
    ToolCase.objects.bulk_create(
        ToolCase(tool_id=tool_id, created_by=username, **_columns_of(case))
        for tool_id, given in cases.items()
        for case in given
    )


def _require_room(golden_characters: int) -> None:
    if golden_characters > MAX_GOLDEN_TOTAL:
        raise EditError(
            message(
                "case.golden_total",
                "The golden answers of a tool may have {limit} characters together.",
                limit=MAX_GOLDEN_TOTAL,
            )
        )


def add_missing(tool: ToolDefinition, cases: Iterable[CaseDocument], username: str) -> None:
    """Give the tool those of the cases of whose name it has none."""
    present = set(tool.cases.values_list("name", flat=True))
    for case in cases:
        if case.name not in present:
            save_case(tool, None, case, username)


def golden_of(answer: ComparedAnswer, username: str, version: int) -> GoldenAnswer:
    """The answer as a golden one of today. Raises DefinitionError if it is too large."""
    require_small(answer, str(_("golden answer")))
    today = timezone.localdate().isoformat()
    return GoldenAnswer(answer=answer, at=today, by=username, version=version)


def accept_answers(rows: Iterable[ToolCase], username: str, version: int) -> None:
    """Make the last answers of these cases, where they are kept, their golden ones."""
    for row in rows:
        if row.answer is not None:
            golden = golden_of(read_compared_answer(row.answer), username, version)
            case = read_row(row).accept(golden)
            save_case(row.tool, row.draft, case, username, row=row)


def snapshot_cases(tool_ids: Iterable[int]) -> dict[int, list[JsonValue]]:
    """By tool, the documents of its cases, which versions keep; one query."""
    found: dict[int, list[JsonValue]] = {}
    for row in ToolCase.objects.filter(tool__in=tool_ids).order_by("tool_id", "name"):
        golden = {"golden": row.golden} if row.golden is not None else {}
        found.setdefault(row.tool_id or 0, []).append({**row.document, **golden})
    return found


def _columns_of(case: CaseDocument) -> dict[str, JsonValue]:
    """The columns that hold a case. Raises DefinitionError for what could not be stored."""
    document = case.to_document()
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    golden = document.pop("golden", None)
    require_storable(document, case.name)
    if golden is not None:
        # Its bytes are counted when it is read; here each may be an escape of six characters.
        require_storable(golden, case.name, limit=6 * MAX_GOLDEN_BYTES)
    return {
        "name": case.name,
        "document": document,
        "golden": golden,
        "content_hash": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }
