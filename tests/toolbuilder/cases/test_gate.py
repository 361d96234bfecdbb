"""A red case keeps a tool from being served, whichever way it comes, and cases travel with versions."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from access.audit.models import AuditEntry
from core.answer_differences import ComparedAnswer
from core.cases.documents import CaseDocument, GoldenAnswer
from core.cases.outcomes import CaseState
from core.errors import EditError, RedCasesError
from tests.toolbuilder.cases.rows import DOUBLE, add_case, case_of, publish
from toolbuilder.cases.rows import save_case
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import publish_snapshot, publish_tool, restore_version
from toolbuilder.history.versions import VersionEntry
from toolbuilder.models import ToolCase, ToolDraft, VersionOrigin
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

IMPORTED = VersionEntry(origin=VersionOrigin.IMPORTED, author="ann")


def edit(tool: ToolDefinition, **fields: Any) -> ToolDraft:
    """The tool's draft with these fields."""
    draft = open_draft(tool, "ann")
    return save_draft(draft.uid, draft.document | fields, PageState(username="ann", revision=1))


def test_a_red_case_keeps_the_draft_from_being_served() -> None:
    tool = publish()
    add_case(tool)

    with pytest.raises(RedCasesError) as raised:
        publish_tool(edit(tool, definition="a * 3"), "ann")

    assert str(raised.value) == ("1 of 1 cases is red: twice two. Expected $.result = 4; got 6.")
    assert ToolDefinition.objects.get().definition == "a * 2"
    assert ToolCase.objects.get().state == CaseState.RED


def test_a_green_case_does_not_and_goes_with_the_version() -> None:
    tool = publish()
    add_case(tool)

    version = publish_tool(edit(tool, definition="a + a"), "ann").version

    assert version.cases == [case_of().to_document()]
    assert version.override_reason == ""


def test_a_case_follows_a_parameter_that_has_another_name() -> None:
    tool = publish()
    row = add_case(tool)
    renamed = [{**DOUBLE.to_document()["parameters"][0], "param_name": "number"}]

    publish_tool(edit(tool, definition="number * 2", parameters=renamed), "ann")

    row.refresh_from_db()
    assert (row.document["arguments"], row.state) == ({"number": 2}, CaseState.GREEN)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("own_trail")
def test_a_reason_overrides_and_stays_in_history_and_audit_trail() -> None:
    tool = publish()
    add_case(tool)
    draft = edit(tool, definition="a * 3")

    version = publish_tool(draft, "ann", override_reason="Three is right.").version

    version.refresh_from_db()
    assert version.override_reason == "Three is right."
    entry = AuditEntry.objects.filter(kind="h_custom_tool_version").latest("number")
    assert (entry.target_name, entry.action) == ("double 2", "insert")
    assert entry.after
    assert entry.after["override_reason"] == "Three is right."
    assert not {"cases", "document"} & entry.after.keys()


def test_a_reason_that_nobody_needs_is_not_kept() -> None:
    tool = publish()
    add_case(tool)

    draft = edit(tool, definition="a + a")

    assert publish_tool(draft, "ann", override_reason="Just so.").version.override_reason == ""


@pytest.mark.parametrize(
    ("fields", "expects", "arguments", "sentence"),
    [
        pytest.param(
            {"definition": "b * 2", "parameters": [{"param_name": "b", "param_type": "INTEGER"}]},
            [],
            {"a": 2},
            "The tool has no parameter a any more",
            id="removed parameter",
        ),
        pytest.param(
            {"definition": "a / 0"}, [], {"a": 2}, "the call failed: division by zero", id="error"
        ),
    ],
)
def test_a_case_that_cannot_run_blocks_too(
    fields: dict[str, Any], expects: list[dict[str, Any]], arguments: dict[str, Any], sentence: str
) -> None:
    tool = publish()
    add_case(tool, case_of("case", *expects, arguments=arguments))

    with pytest.raises(RedCasesError, match=sentence):
        publish_tool(edit(tool, **fields), "ann")


def test_one_that_is_only_too_large_blocks_nothing() -> None:
    tool = publish()
    row = add_case(tool, case_of("case", {"check": "bytes", "at_most": 0}))

    publish_tool(edit(tool, definition="a * 3"), "ann")

    row.refresh_from_db()
    assert (row.state, row.failure) == (CaseState.SLOW, "Expected ≤ 0 bytes; got 1 byte.")


def test_an_import_is_judged_by_its_own_cases_and_brings_them() -> None:
    snapshot = DOUBLE.replace(definition="a * 3")
    with pytest.raises(RedCasesError):
        publish_snapshot(None, snapshot, IMPORTED, cases=[case_of()])
    assert not ToolDefinition.objects.exists()

    tool = publish_snapshot(None, DOUBLE, IMPORTED, cases=[case_of()]).tool

    assert [row.name for row in tool.cases.all()] == ["twice two"]


def test_the_cases_of_a_new_draft_go_to_its_tool() -> None:
    draft = open_draft(None, "ann", DOUBLE)
    save_case(None, draft, case_of(), "ann")

    publication = publish_tool(draft, "ann")

    assert publication.tool.cases.get().draft is None
    assert publication.version.cases == [case_of().to_document()]


def test_restoring_a_version_is_judged_and_brings_back_missing_cases() -> None:
    tool = publish()
    row = add_case(tool)
    publish_tool(edit(tool, definition="a + a"), "ann")
    row.delete()
    add_case(tool, case_of("other", {"check": "value", "path": "$.result", "value": 4}))

    restore_version(tool.versions.get(number=2), "ann")

    assert sorted(tool.cases.values_list("name", flat=True)) == ["other", "twice two"]


def test_restoring_against_a_red_case_needs_a_reason() -> None:
    tool = publish()
    publish_tool(edit(tool, definition="a * 3"), "ann")
    add_case(tool, case_of("six", {"check": "value", "path": "$.result", "value": 6}))
    first = tool.versions.get(number=1)

    with pytest.raises(RedCasesError):
        restore_version(first, "ann")

    version = restore_version(first, "ann", override_reason="Back to what it was.").version
    assert version.override_reason == "Back to what it was."


def test_the_command_imports_over_a_red_case_for_a_reason(tmp_path: Path) -> None:
    add_case(publish())
    file = tmp_path / "tools.yaml"
    call_command("tools", "export", "--output", str(file), stderr=StringIO())
    file.write_text(file.read_text().replace("a * 2", "a * 3"))
    options = {"on_conflict": "replace", "stdout": StringIO(), "stderr": StringIO()}

    with pytest.raises(SystemExit):
        call_command("tools", "import", str(file), **options)
    assert "refused: 1 of 1 cases is red" in options["stderr"].getvalue()  # type: ignore[attr-defined]

    call_command("tools", "import", str(file), override_red="Agreed.", **options)
    assert ToolDefinition.objects.get().versions.get(number=2).override_reason == "Agreed."


def test_two_cases_of_one_name_are_refused() -> None:
    tool = publish()
    add_case(tool)

    with pytest.raises(EditError, match="There is a case called twice two already"):
        add_case(tool)


def test_a_changed_case_forgets_its_result() -> None:
    tool = publish()
    row = add_case(tool)
    publish_tool(edit(tool, definition="a + a"), "ann")
    row.refresh_from_db()
    assert row.state == CaseState.GREEN

    save_case(tool, None, case_of("twice three", arguments={"a": 3}), "ann", row=row)

    row.refresh_from_db()
    assert (row.name, row.state, row.ran_at) == ("twice three", "", None)


def test_golden_answers_of_a_tool_are_bounded_together() -> None:
    tool = publish()
    large = ComparedAnswer(value={"result": "x" * 990_000})
    cases = [CaseDocument(name=str(at), golden=GoldenAnswer(answer=large)) for at in range(6)]
    for case in cases[:5]:
        add_case(tool, case)

    with pytest.raises(EditError, match="may have 5,000,000 characters together"):
        add_case(tool, cases[5])
