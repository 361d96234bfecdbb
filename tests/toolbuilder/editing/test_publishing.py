"""Drafts become what is served, every change leaves a version, and nothing is overwritten unseen."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from catalog.models import DataSource
from core.answer_differences import ComparedAnswer
from core.cases.documents import CaseDocument, GoldenAnswer
from core.errors import (
    DataSourceUnavailableError,
    DefinitionError,
    DraftOwnedError,
    EditError,
    StaleDraftError,
)
from tests.factories import make_expression, make_tool
from toolbuilder.cases.rows import read_row, save_case
from toolbuilder.editing.drafts import (
    DraftDocument,
    PageState,
    duplicate_tool,
    open_draft,
    read_work,
    save_draft,
    take_over,
)
from toolbuilder.editing.publishing import (
    archive,
    publish_snapshot,
    publish_tool,
    restore_version,
    set_all_active,
    unarchive,
)
from toolbuilder.history.versions import VersionEntry, record_version, record_versions
from toolbuilder.models import ToolDraft, ToolVersion, VersionOrigin
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import RegistryRevision, ToolDefinition
from tools.registry import read_served_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

DOUBLE = ToolDocument(
    name="double",
    description_agent="Doubles a number.",
    tool_type="PYTHON",
    definition="a * 2",
    parameters=(ParameterDocument(param_name="a", param_type="NUMBER"),),
)

SHOWN = DOUBLE.replace(definition="a * 3").to_document()


def edit(draft: ToolDraft, **fields: Any) -> ToolDraft:
    """The draft saved with these fields of its tool."""
    document = draft.document | fields
    return save_draft(draft.uid, document, PageState(username=draft.owner, revision=draft.revision))


def publish(snapshot: ToolDocument = DOUBLE) -> ToolDefinition:
    """A tool that was published by ann."""
    return publish_tool(open_draft(None, "ann", snapshot), "ann").tool


def numbers(tool: ToolDefinition) -> list[int]:
    return list(tool.versions.order_by("number").values_list("number", flat=True))


def test_published_draft_is_served_and_gone() -> None:
    before = RegistryRevision.current()

    publication = publish_tool(open_draft(None, "ann", DOUBLE), "ann", note="first")

    [spec] = read_served_rows().specs
    assert (spec.name, [one.name for one in spec.parameters]) == ("double", ["a"])
    assert RegistryRevision.current() > before
    assert not ToolDraft.objects.exists()
    version = publication.version
    assert (version.number, version.note, version.published_by) == (1, "first", "ann")
    assert version.is_judged


def test_test_runs_of_a_new_draft_stay_with_its_tool() -> None:
    draft = open_draft(None, "ann", DOUBLE)
    draft.trials.create(username="ann", logic_hash=DOUBLE.logic_hash)

    tool = publish_tool(draft, "ann").tool

    assert tool.trials.get().draft is None


def test_version_of_a_tool_says_what_its_rows_say() -> None:
    tool = publish()

    stored = ToolDefinition.objects.get()
    assert ToolDocument.of_row(tool) == DOUBLE
    assert (stored.version, stored.content_hash) == (1, DOUBLE.content_hash)
    assert stored.versions.get().document == DOUBLE.to_document()


def test_parameter_that_keeps_its_name_keeps_its_row() -> None:
    tool = publish()
    row = tool.parameters.get()
    parameters = [{"param_name": "b", "param_type": "NUMBER"}, *DOUBLE.to_document()["parameters"]]

    draft = edit(open_draft(tool, "ann"), definition="a * b", parameters=parameters)
    publish_tool(draft, "ann")

    assert [(one.param_name, one.position) for one in tool.parameters.all()] == [("b", 1), ("a", 2)]
    assert tool.parameters.get(param_name="a").pk == row.pk


def test_draft_that_says_what_is_served_makes_no_version() -> None:
    tool = publish()

    publication = publish_tool(open_draft(tool, "ann"), "ann")

    assert not publication.is_new_version
    assert numbers(tool) == [1]


def test_inactive_tool_stays_inactive() -> None:
    tool = publish()
    set_all_active([tool.pk], is_active=False, username="ann")

    publish_tool(edit(open_draft(tool, "ann"), definition="a * 3"), "ann")

    assert not ToolDefinition.objects.get().is_active


def test_write_by_another_program_is_kept_as_a_version_before_it_is_overwritten() -> None:
    tool = publish()
    draft = edit(open_draft(tool, "ann"), definition="a * 3")
    ToolDefinition.objects.update(definition="a * 99")

    publish_tool(draft, "ann", overwrites=True)

    kept = tool.versions.get(number=2)
    assert (kept.document["definition"], kept.origin) == ("a * 99", VersionOrigin.OUTSIDE)
    assert tool.versions.get(number=3).document["definition"] == "a * 3"


def test_draft_of_a_tool_that_was_changed_meanwhile_is_stale() -> None:
    tool = publish()
    draft = edit(open_draft(tool, "ann"), definition="a * 3")
    ToolDefinition.objects.update(definition="a * 99")

    with pytest.raises(StaleDraftError, match="changed since this draft was made") as caught:
        publish_tool(draft, "ann")

    assert caught.value.current["definition"] == "a * 99"
    assert ToolDefinition.objects.get().definition == "a * 99"


def test_draft_that_was_saved_again_is_stale() -> None:
    draft = open_draft(None, "ann", DOUBLE)
    edit(draft, definition="a * 3")

    with pytest.raises(StaleDraftError, match="saved elsewhere"):
        publish_tool(draft, "ann")

    assert not ToolDefinition.objects.exists()


def test_draft_of_another_user_is_not_published() -> None:
    draft = open_draft(None, "ann", DOUBLE)

    with pytest.raises(DraftOwnedError, match="ann is editing"):
        publish_tool(draft, "bob")

    assert publish_tool(take_over(draft.uid, "bob"), "bob").version.published_by == "bob"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"definition": "b * 2"}, "uses b, which is not declared", id="undeclared"),
        pytest.param({"name": ""}, "the tool has no name", id="no name"),
        pytest.param({"name": "get_tags"}, "name of a built-in tool", id="built-in"),
        pytest.param({"name": "taken"}, "a tool called taken already", id="taken"),
        pytest.param({"name": "old"}, "an archived tool called old", id="archived"),
        pytest.param({"tool_type": "RUBY"}, "SQL, PYTHON or HTTP", id="kind"),
        pytest.param({"data_source": "nowhere"}, "no data source 'nowhere'", id="source"),
        pytest.param(
            {"tool_type": "SQL", "definition": "SELECT :a FROM nowhere"}, "nowhere", id="database"
        ),
    ],
)
def test_draft_that_could_not_be_served_is_refused_and_kept(
    fields: dict[str, Any], message: str
) -> None:
    make_expression(name="taken")
    archive([make_expression(name="old").pk], "ann")

    with pytest.raises(DefinitionError, match=message):
        publish_tool(edit(open_draft(None, "ann", DOUBLE), **fields), "ann")

    assert ToolDefinition.objects.count() == 2
    assert ToolDraft.objects.count() == 1


def test_name_of_a_built_in_tool_that_is_not_served_is_free(settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["none"]

    assert publish(DOUBLE.replace(name="get_tags")).name == "get_tags"


class TestSourceThatIsAway:
    """Its word is needed once for each logic."""

    @pytest.fixture
    def tool(self) -> ToolDefinition:
        """On a source that refuses to connect."""
        source = DataSource.objects.create(
            name="shop", host="127.0.0.1", port=9, database="demo", username="nobody"
        )
        return make_tool(name="shop_tool", data_source=source, definition="SELECT 1 AS one")

    def test_new_logic_is_refused(self, tool: ToolDefinition) -> None:
        draft = edit(open_draft(tool, "ann"), definition="SELECT 2 AS two")

        with pytest.raises(DataSourceUnavailableError, match="is not published until"):
            publish_tool(draft, "ann")

    def test_logic_that_it_took_before_is_published(self, tool: ToolDefinition) -> None:
        record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, is_judged=True))
        draft = edit(open_draft(tool, "ann"), title="One")

        version = publish_tool(draft, "ann").version

        assert (version.number, version.is_judged) == (2, False)


def test_restored_version_is_a_new_version() -> None:
    tool = publish()
    publish_tool(edit(open_draft(tool, "ann"), definition="a * 3"), "ann")

    publication = restore_version(tool.versions.get(number=1), "bob")

    version = publication.version
    assert ToolDefinition.objects.get().definition == "a * 2"
    assert (version.number, version.restored_from, version.published_by) == (3, 1, "bob")
    assert version.origin == VersionOrigin.RESTORED


def test_draft_that_holds_test_values_alone_follows_what_is_restored() -> None:
    tool = publish()
    publish_tool(edit(open_draft(tool, "ann"), definition="a * 3"), "ann")
    edit(open_draft(tool, "ann"), test_values={"a": 7})

    restore_version(tool.versions.get(number=1), "bob")

    work = read_work(tool)
    assert work.document == DraftDocument(tool=DOUBLE, test_values={"a": 7})
    assert not work.is_changed
    published = publish_tool(edit(open_draft(tool, "ann"), title="Double"), "ann")
    assert (published.tool.definition, published.tool.title) == ("a * 2", "Double")


def test_page_from_before_a_restoration_does_not_undo_it() -> None:
    tool = publish()
    publish_tool(edit(open_draft(tool, "ann"), definition="a * 3"), "ann")
    page = PageState(username="ann", revision=1, page="of ann")
    opened = save_draft(open_draft(tool, "ann").uid, {**SHOWN, "test_values": {"a": 7}}, page)

    restore_version(tool.versions.get(number=1), "bob")

    with pytest.raises(StaleDraftError, match="saved elsewhere"):
        save_draft(opened.uid, {**SHOWN, "title": "Treble"}, page)


def test_draft_with_changes_stays_as_it_is_when_a_version_is_restored() -> None:
    tool = publish()
    publish_tool(edit(open_draft(tool, "ann"), definition="a * 3"), "ann")
    draft = edit(open_draft(tool, "ann"), definition="a * 4")

    restore_version(tool.versions.get(number=1), "bob")

    assert read_work(tool).document.tool.definition == "a * 4"
    assert read_work(tool).revision == draft.revision


def test_version_of_a_deleted_tool_makes_it_again_inactive() -> None:
    publish().delete()

    tool = restore_version(ToolVersion.objects.get(tool_name="double"), "ann").tool

    assert ToolDocument.of_row(tool) == DOUBLE
    assert not tool.is_active
    assert numbers(tool) == [1]


def test_version_cannot_be_changed() -> None:
    publish()

    with pytest.raises(DatabaseError, match="cannot be changed"), transaction.atomic():
        ToolVersion.objects.update(note="another")


@pytest.mark.parametrize("deletes", ["django", "psql"])
def test_deleted_tool_leaves_its_versions_and_takes_its_draft_along(deletes: str) -> None:
    tool = publish()
    open_draft(tool, "ann")

    if deletes == "django":
        tool.delete()
    else:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM h_custom_tool")

    version = ToolVersion.objects.get()
    assert (version.tool_id, version.tool_name) == (None, "double")
    assert not ToolDraft.objects.exists()


def test_row_of_a_writer_that_knows_only_the_first_columns_has_no_version_yet() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO h_custom_tool (name, tool_type, definition) VALUES ('mine', 'PYTHON', '1')"
        )
    tool = ToolDefinition.objects.get()
    assert tool.version == 0

    assert record_versions() == 1

    tool.refresh_from_db()
    assert (tool.version, tool.versions.get().origin) == (1, VersionOrigin.OUTSIDE)


def test_version_that_is_noted_later_is_no_change_of_the_tool() -> None:
    tool = make_expression()
    written = ToolDefinition.objects.values_list("updated_at", flat=True)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE h_custom_tool DISABLE TRIGGER touch_tool")
        cursor.execute("UPDATE h_custom_tool SET updated_at = '2020-01-01T00:00:00Z'")
        cursor.execute("ALTER TABLE h_custom_tool ENABLE TRIGGER touch_tool")

    record_versions()
    assert written.get().year == 2020

    ToolDefinition.objects.filter(pk=tool.pk).update(definition="a + b")
    assert written.get().year > 2020


def test_tools_that_nobody_wrote_to_get_no_further_version(
    django_assert_max_num_queries: Any,
) -> None:
    for name in "abcdef":
        publish_snapshot(
            None,
            DOUBLE.replace(name=name),
            VersionEntry(origin=VersionOrigin.IMPORTED, author="ann"),
        )

    with django_assert_max_num_queries(3):
        assert record_versions() == 0


def test_archived_tool_is_inactive_and_cannot_be_made_active() -> None:
    tool = publish()

    assert archive([tool.pk], "ann") == [tool.pk]

    assert archive([tool.pk], "ann") == []
    assert read_served_rows().specs == ()
    assert set_all_active([tool.pk], is_active=True, username="ann") == []
    with pytest.raises(EditError, match="double is archived"):
        publish_tool(open_draft(tool, "ann"), "ann")
    with pytest.raises(IntegrityError), transaction.atomic():
        ToolDefinition.objects.update(is_active=True)


def test_archived_tool_comes_back_inactive() -> None:
    tool = publish()
    archive([tool.pk], "ann")

    assert unarchive([tool.pk], "ann") == [tool.pk]

    tool.refresh_from_db()
    assert (tool.archived_at, tool.is_active) == (None, False)
    assert set_all_active([tool.pk], is_active=True, username="ann")


def test_only_tools_that_change_are_told_of() -> None:
    on, off = make_expression(), make_expression(is_active=False)

    changed = set_all_active([on.pk, off.pk], is_active=True, username="ann")

    assert changed == [off.pk]


def test_copy_has_a_free_name_and_the_test_cases() -> None:
    tool = publish()
    golden = GoldenAnswer(answer=ComparedAnswer(value={"result": 4}), by="ann", version=1)
    save_case(tool, None, CaseDocument(name="two", arguments={"a": 2}, golden=golden), "ann")
    first = duplicate_tool(tool, "ann")

    second = duplicate_tool(tool, "ann")

    assert (first.name, second.name) == ("double_copy", "double_copy_2")
    copy = publish_tool(second, "ann").tool
    assert copy.name == "double_copy_2"
    assert read_row(copy.cases.get()).golden == replace(golden, version=0)
