"""A rename keeps the old name for some days, and its page says who still calls by it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.keys import issue_key
from access.models import ApiKey, CallRecord, IssuerRule, TokenIssuer, ToolLimit
from core.errors import DefinitionError
from tests.factories import make_tool, make_toolset
from tests.rendered import text_of
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import publish_snapshot, publish_tool
from toolbuilder.history.versions import VersionEntry
from toolbuilder.models import PlaygroundQuestion, VersionOrigin
from toolbuilder.search_lab.questions import save_question
from toolbuilder.tasks import forget_old_tool_names
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolAlias, ToolDefinition
from tools.names import require_free_name

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

HTMX = {"HX-Request": "true"}
DOUBLE = ToolDocument(
    name="double",
    description_agent="Doubles a number.",
    tool_type="PYTHON",
    definition="a * 2",
    parameters=(ParameterDocument(param_name="a", param_type="NUMBER"),),
)


def publish(document: ToolDocument, tool: ToolDefinition | None = None, days: int = 0) -> Any:
    """The tool as it was published by ann with so many days for old names."""
    draft = open_draft(tool, "ann", document)
    if tool:
        draft.document = {**draft.document, **document.to_document()}
        draft.save()
    return publish_tool(draft, "ann", old_names_days=days).tool


def renamed(name: str, parameter: str = "a") -> ToolDocument:
    (row,) = DOUBLE.parameters
    return DOUBLE.replace(
        name=name,
        definition=f"{parameter} * 2",
        parameters=(row.replace(param_name=parameter),),
    )


def old_names() -> set[tuple[str, str, str]]:
    return set(ToolAlias.objects.values_list("old_name", "parameter_name", "tool__name"))


def test_rename_keeps_the_old_names_of_tool_and_parameter() -> None:
    tool = publish(DOUBLE)

    publish(renamed("twice", "number"), tool, days=30)

    assert old_names() == {("double", "", "twice"), ("a", "number", "twice")}


def test_rename_for_no_days_keeps_none() -> None:
    tool = publish(DOUBLE)

    publish(renamed("twice", "number"), tool)

    assert old_names() == set()


def test_older_names_follow_the_next_rename_and_end_when_they_come_back() -> None:
    tool = publish(DOUBLE)
    tool = publish(renamed("twice", "number"), tool, days=30)
    tool = publish(renamed("two_times", "n"), tool, days=30)

    assert old_names() == {
        ("double", "", "two_times"),
        ("twice", "", "two_times"),
        ("a", "n", "two_times"),
        ("number", "n", "two_times"),
    }
    entry = VersionEntry(origin=VersionOrigin.IMPORTED, author="ann")
    publish_snapshot(tool, renamed("double", "a"), entry)
    assert old_names() == {("twice", "", "double"), ("number", "a", "double")}


@pytest.mark.parametrize("days", [0, 30])
def test_what_names_a_tool_names_it_as_it_is_called_now(days: int) -> None:
    tool = publish(DOUBLE)
    key, issuer = issue_key("claude").key, TokenIssuer.objects.create(name="sso")
    ApiKey.objects.update(allowed_tools=["double", "other"])
    rule = IssuerRule.objects.create(issuer=issuer, claim="team", allowed_tools=["double"])
    holding, both = make_toolset("kr", "double", "other"), make_toolset("jp", "double", "twice")
    limit = ToolLimit.objects.create(target_type="TOOL", tool_name="double", max_count=1)
    saved = save_question("two of it", ["double", "other"], "ann")
    asked = PlaygroundQuestion.objects.create(set_name="a", text="two of it", expected="double")

    publish(renamed("twice"), tool, days=days)

    for row in (key, rule, limit, saved, asked):
        row.refresh_from_db()
    assert set(key.allowed_tools) == {"twice", "other"}
    assert rule.allowed_tools == ["twice"]
    assert {row.tool_name for row in holding.tools.all()} == {"twice", "other"}
    assert [row.tool_name for row in both.tools.all()] == ["twice"]
    assert limit.tool_name == asked.expected == "twice"
    assert saved.expected == ["twice", "other"]


def test_new_tool_cannot_take_a_name_that_still_answers() -> None:
    tool = publish(DOUBLE)
    publish(renamed("twice"), tool, days=30)

    with pytest.raises(
        DefinitionError, match="double is an old name of twice, which answers to it"
    ):
        publish(DOUBLE)
    ToolAlias.objects.update(expires_at=timezone.now())
    require_free_name("double", None)


def test_publishing_in_the_editor_asks_for_how_long(admin: Client) -> None:
    publish(DOUBLE)
    form = {"page_token": "here", "name": "twice"}

    asked = admin.post("/tools/double/publish/", {"revision": 0, **form}, headers=HTMX)
    more = {"revision": 2, "confirmed": "1", "old_names_days": "7"}
    admin.post("/tools/double/publish/", {**form, **more}, headers=HTMX)

    assert "Days for which the old names still answer" in text_of(asked)
    assert "Agents that use an old name are answered for the days" in text_of(asked)
    assert "will get an error." not in text_of(asked)
    (alias,) = ToolAlias.objects.all()
    assert (alias.old_name, alias.created_by) == ("double", "admin")
    assert timedelta(days=6) < alias.expires_at - timezone.now() <= timedelta(days=7)


@pytest.fixture
def alias() -> ToolAlias:
    """`turnover`, an old name of `sales`, which answers for a day."""
    tool = make_tool(name="sales")
    until = timezone.now() + timedelta(days=1)
    return ToolAlias.objects.create(tool=tool, old_name="turnover", expires_at=until)


def test_page_lists_who_still_calls_by_the_old_name(admin: Client, alias: ToolAlias) -> None:
    for caller, called_as in (("bot", "turnover"), ("bot", "turnover :x"), ("new bot", "")):
        CallRecord.objects.create(
            tool_name="sales",
            outcome="ok",
            duration_ms=1,
            caller=caller,
            key_id="abcd1234",
            called_as=called_as,
        )

    text = " ".join(text_of(admin.get("/tools/sales/old-names/")).split())

    assert "turnover" in text
    assert "2 calls" in text
    assert "new bot" not in text


def test_page_asks_the_log_once_however_many_names_there_are(
    admin: Client, alias: ToolAlias, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        ToolAlias.objects.create(
            tool=alias.tool, old_name=f"old_{number}", expires_at=alias.expires_at
        )

    with django_assert_max_num_queries(10):
        admin.get("/tools/sales/old-names/")


def test_old_name_is_ended_and_prolonged(admin: Client, alias: ToolAlias) -> None:
    address = f"/tools/sales/old-names/{alias.pk}/"

    admin.post(address, {"end": "1", "days": "30"})
    alias.refresh_from_db()
    assert not alias.is_answered

    admin.post(address, {"days": "60"})
    alias.refresh_from_db()
    assert alias.expires_at > timezone.now() + timedelta(days=59)


def test_names_that_ended_long_ago_are_forgotten(alias: ToolAlias) -> None:
    old = timezone.now() - timedelta(days=31)
    ToolAlias.objects.create(tool=alias.tool, old_name="long_ago", expires_at=old)

    assert forget_old_tool_names() == 1
    assert old_names() == {("turnover", "", "sales")}
