"""Cases in the editor: saved, run, accepted, edited, deleted; and the way to a publication."""

from typing import Any

import pytest
from django.test import Client

from access.models import CallRecord
from core.cases.outcomes import CaseState
from tests.toolbuilder.cases.rows import DOUBLE, add_case, case_of, publish
from toolbuilder.models import NightlyCases, ToolCase
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

HTMX = {"HX-Request": "true"}


@pytest.fixture
def tool() -> ToolDefinition:
    """A published tool that doubles a number."""
    return publish()


def post(admin: Client, action: str, **fields: Any) -> Any:
    """The answer of an action on the tool, as htmx asks for it."""
    return admin.post(f"/tools/double/{action}/", fields, headers=HTMX)


def run(admin: Client) -> None:
    """A test run with 2, which leaves a draft."""
    form = {
        "parameter": "a", "a-name": "a", "a-type": "NUMBER", "a-required": "on", "a-test": "2",
    }  # fmt: skip
    assert post(admin, "test", **form, revision="0").status_code == 200


def change(admin: Client, definition: str) -> None:
    """Save a draft with this logic."""
    assert post(admin, "analyse", definition=definition, revision="0").status_code == 200


def test_last_run_becomes_a_case(admin: Client, tool: ToolDefinition) -> None:
    run(admin)

    dialog = post(admin, "case-keep").content.decode()
    answer = post(
        admin,
        "case-keep",
        confirmed="1",
        case_name="twice two",
        golden="1",
        most="1",
        most_ms="5000",
    )

    assert 'name="golden"' in dialog
    row = ToolCase.objects.get()
    assert (row.name, row.state, row.created_by) == ("twice two", CaseState.GREEN, "admin")
    assert row.document["arguments"] == {"a": 2}
    assert row.document["source"] == "trial"
    assert (row.golden or {})["answer"] == {"value": {"result": 4}}
    assert row.document["expects"] == [{"check": "ms", "at_most": 5_000}]
    assert "1 green" in answer.content.decode()


def test_case_begins_with_a_row_of_the_last_run(admin: Client, tool: ToolDefinition) -> None:
    run(admin)

    dialog = post(admin, "case", expected_row='{"result": 4}').content.decode()
    refused = post(admin, "case", expected_row="[")

    assert '<option value="row" selected>' in dialog
    assert 'value="{&quot;result&quot;: 4}"' in dialog
    assert 'value="2"' in dialog
    assert refused.status_code == 422


def test_there_must_have_been_a_run(admin: Client, tool: ToolDefinition) -> None:
    assert post(admin, "case-keep").status_code == 422


def test_case_is_made_and_changed_by_hand(admin: Client, tool: ToolDefinition) -> None:
    lines = {
        "expect-check": ["value", ""], "expect-place": ["$.result", ""], "expect-is": [">=", "="],
        "expect-value": ["4", ""],
    }  # fmt: skip

    post(admin, "case", confirmed="1", case_name="by hand", **{"arg-a": "2"}, **lines)
    row = ToolCase.objects.get()
    form = post(admin, "case", case=str(row.pk)).content.decode()
    lines["expect-value"] = ["5", ""]
    changed = {"case": str(row.pk), "case_name": "renamed", "arg-a": "2", **lines}
    post(admin, "case", confirmed="1", **changed)

    assert row.document["expects"] == [
        {"check": "value", "path": "$.result", "is": ">=", "value": 4}
    ]
    assert 'value="$.result"' in form
    row.refresh_from_db()
    assert (row.name, row.state) == ("renamed", CaseState.RED)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"case_name": " "}, "case.name: must be a text"),
        ({"case_name": "twice two"}, "There is a case called twice two already."),
        (
            {"case_name": "x", "expect-check": "rows", "expect-place": "", "expect-is": "=",
             "expect-value": "many"},
            "case.expects[0].count: must be a whole number",
        ),
    ],
    ids=["no name", "taken name", "no number"],
)  # fmt: skip
def test_what_cannot_be_kept_is_told_in_the_form(
    admin: Client, tool: ToolDefinition, fields: dict[str, str], fault: str
) -> None:
    add_case(tool)

    answer = post(admin, "case", confirmed="1", **fields)

    assert answer.status_code == 422
    assert fault in answer.content.decode()
    assert ToolCase.objects.count() == 1


def test_cases_run_against_what_is_typed(admin: Client, tool: ToolDefinition) -> None:
    row = add_case(tool)

    answer = post(admin, "cases", definition="a * 3").content.decode()

    assert "Expected $.result = 4; got 6." in answer
    row.refresh_from_db()
    assert row.state == CaseState.RED
    assert tool.definition == "a * 2"


def test_new_answer_is_accepted(admin: Client, tool: ToolDefinition) -> None:
    run(admin)
    post(admin, "case-keep", confirmed="1", case_name="golden", golden="1")
    row = ToolCase.objects.get()
    differing = post(admin, "cases", definition="a * 3").content.decode()

    post(admin, "case-accept", case=str(row.pk), definition="a * 3")

    assert "<del>4</del> <ins>6</ins>" in differing
    row.refresh_from_db()
    assert (row.state, (row.golden or {})["answer"]) == (CaseState.GREEN, {"value": {"result": 6}})


def test_recorded_call_becomes_a_case(admin: Client, tool: ToolDefinition) -> None:
    call = CallRecord.objects.create(
        tool_name="double", outcome="ok", duration_ms=1, arguments={"a": 21}
    )
    page = admin.get(f"/calls/{call.pk}/").content.decode()

    form = admin.post("/tools/double/case/", {"call": call.pk}).content.decode()
    post(admin, "case", confirmed="1", call=str(call.pk), case_name="a call", **{"arg-a": "21"})

    assert "Save as test case" in page
    assert 'value="21"' in form
    document = ToolCase.objects.get().document
    assert (document["source"], document["arguments"]) == ("call", {"a": 21})


def test_case_is_deleted_and_runs_each_night_when_switched(
    admin: Client, tool: ToolDefinition
) -> None:
    row = add_case(tool)

    post(admin, "case-nightly", nightly="1")
    assert NightlyCases.objects.filter(tool=tool).exists()
    post(admin, "case-nightly")
    assert not NightlyCases.objects.exists()

    post(admin, "case-delete", case=str(row.pk))
    assert not ToolCase.objects.exists()


def test_case_of_another_tool_is_not_found(admin: Client, tool: ToolDefinition) -> None:
    other = add_case(publish(DOUBLE.replace(name="triple")))

    assert post(admin, "case", case=str(other.pk)).status_code == 404
    post(admin, "case-delete", case=str(other.pk))

    assert ToolCase.objects.get() == other


def test_red_case_is_asked_about_and_published_for_a_reason(
    admin: Client, tool: ToolDefinition
) -> None:
    add_case(tool, case_of("twice two"))
    form = {"definition": "a * 3", "revision": "0"}

    asked = post(admin, "publish", **form)
    refused = post(admin, "publish", confirmed="1", **form | {"revision": "2"})
    reason = {"overrides": "1", "override_reason": "Three is right."}
    post(admin, "publish", confirmed="1", **form | {"revision": "2"}, **reason)

    assert "Publish with 1 red case" in asked.content.decode()
    assert refused.status_code == 422
    assert tool.versions.get(number=2).override_reason == "Three is right."
    history = admin.get("/tools/double/versions/").content.decode()
    assert "Three is right." in history


def test_new_answers_are_accepted_instead(admin: Client, tool: ToolDefinition) -> None:
    run(admin)
    post(admin, "case-keep", confirmed="1", case_name="golden", golden="1")
    form = {"definition": "a * 3", "revision": "2"}
    assert "Accept the new answer instead" in post(admin, "publish", **form).content.decode()

    post(admin, "publish", accepts="1", confirmed="1", **form | {"revision": "3"})

    assert tool.versions.get(number=2).document["definition"] == "a * 3"
    assert tool.versions.get(number=2).override_reason == ""
    assert ToolCase.objects.get().state == CaseState.GREEN


def test_restoring_over_a_red_case_asks_for_a_reason(admin: Client, tool: ToolDefinition) -> None:
    ToolDefinition.objects.update(definition="a * 3")
    post(admin, "publish", definition="a * 3", revision="0", confirmed="1")
    add_case(tool, case_of("six", {"check": "value", "path": "$.result", "value": 6}))
    address = "/tools/double/versions/1/restore/"

    refused = admin.post(address, {"confirmed": "1"}, headers=HTMX)
    reason = {"overrides": "1", "override_reason": "Back."}
    admin.post(address, {"confirmed": "1", **reason}, headers=HTMX)

    assert refused.status_code == 422
    assert "1 of 1 cases is red" in " ".join(refused.content.decode().split())
    assert tool.versions.order_by("number").last().override_reason == "Back."  # type: ignore[union-attr]
