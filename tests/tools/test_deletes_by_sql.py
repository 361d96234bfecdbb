"""What a DELETE by another program takes along: the database does it, without Django."""

from collections.abc import Callable, Mapping

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from access.keys import issue_key
from access.models import ApiKey, RuntimeInstance
from catalog.models import CatalogColumn, CatalogQuery, CatalogTable, DataSource
from tests.factories import make_tool
from toolbuilder.exchange.models import ToolFile
from toolbuilder.models import NightlyCases, ToolCase, ToolDraft, ToolTrial, ToolVersion
from toolbuilder.replays.models import ReplayedCall, ToolReplay
from toolbuilder.reviews.models import ReviewComment, ToolReview
from tools.aliases import ToolAlias
from tools.models import QuarantinedTool, ToolDefinition, ToolParameter, ToolUse, ToolUseState
from tools.resting import RestingTool

pytestmark = pytest.mark.django_db

# What the models' on_delete is in pg_constraint.confdeltype; 'a' refuses the DELETE.
ACTIONS: Mapping[object, str] = {models.CASCADE: "c", models.SET_NULL: "n", models.PROTECT: "a"}

REFERENCES = """
SELECT conrelid::regclass::text, attname, confdeltype::text FROM pg_constraint
JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
WHERE contype = 'f' AND confrelid = %s::regclass
"""


def make_use(tool: ToolDefinition) -> None:
    table = CatalogTable.objects.create(name="orders")
    column = CatalogColumn.objects.create(table=table, name="id")
    ToolUse.objects.create(tool=tool, table=table, column=column)


# A row in each table that refers to a tool, or to its draft.
REFERRING: Mapping[str, Callable[[ToolDefinition], object]] = {
    "h_custom_tool_param": lambda tool: ToolParameter.objects.create(tool=tool, param_name="a"),
    "h_custom_tool_quarantine": lambda tool: QuarantinedTool.objects.create(tool=tool, reason="x"),
    "h_custom_tool_rest": lambda tool: RestingTool.objects.create(
        tool=tool, runtime=RuntimeInstance.objects.create(host="here", pid=1)
    ),
    "h_custom_tool_use": make_use,
    "h_custom_tool_use_state": lambda tool: ToolUseState.objects.create(tool=tool, fingerprint="x"),
    "h_custom_tool_draft": lambda tool: ToolDraft.objects.create(tool=tool, document={}),
    "h_custom_tool_trial": lambda tool: ToolTrial.objects.bulk_create(
        [
            ToolTrial(tool=tool, username="kim"),
            ToolTrial(draft=ToolDraft.objects.get(tool=tool), username="kim"),
        ]
    ),
    "h_custom_tool_alias": lambda tool: ToolAlias.objects.create(
        tool=tool, old_name="old", expires_at=timezone.now()
    ),
    "h_custom_tool_case": lambda tool: ToolCase.objects.bulk_create(
        [
            ToolCase(tool=tool, name="one", document={}),
            ToolCase(draft=ToolDraft.objects.get(tool=tool), name="one", document={}),
        ]
    ),
    "h_custom_tool_nightly": lambda tool: NightlyCases.objects.create(tool=tool),
    "h_custom_tool_file": lambda tool: ToolFile.objects.create(tool=tool, path="a.yaml"),
    "h_tool_review": lambda tool: ToolReview.objects.create(tool=tool, document={}),
    "h_tool_review_comment": lambda tool: ReviewComment.objects.create(
        review=ToolReview.objects.get(tool=tool),
        parent=ReviewComment.objects.create(review=ToolReview.objects.get(tool=tool)),
    ),
    "h_tool_replay": lambda tool: ToolReplay.objects.create(
        tool=tool, document={}, served={}, requested=1
    ),
    "h_tool_replay_call": lambda tool: ReplayedCall.objects.create(
        replay=ToolReplay.objects.get(tool=tool), call_id=1, arguments={}, at=timezone.now()
    ),
    "h_custom_tool_version": lambda tool: ToolVersion.objects.create(
        tool=tool, tool_name=tool.name, number=1, document={}, content_hash="x"
    ),
}


def execute(statement: str) -> None:
    """One statement, and what a COMMIT would check of it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def find_references(table: str) -> dict[tuple[str, str], str]:
    """What a DELETE of a row of `table` does to each (table, column) that refers to it."""
    with connection.cursor() as cursor:
        cursor.execute(REFERENCES, [table])
        return {(child, column): action for child, column, action in cursor}


def find_tables_around(table: str) -> set[str]:
    """Tables that refer to `table`, or to one that goes with it."""
    found: set[str] = set()
    for (child, _column), action in find_references(table).items():
        goes_too = action == "c" and child != table
        found |= {child, *(find_tables_around(child) if goes_too else ())}
    return found


def test_deleted_tool_takes_everything_but_its_versions_along() -> None:
    tool, other = make_tool(name="gone"), make_tool()
    assert find_tables_around("h_custom_tool") == REFERRING.keys()
    for make_row in REFERRING.values():
        make_row(tool)

    execute("DELETE FROM h_custom_tool WHERE name = 'gone'")

    kept = {table for table in REFERRING if count_rows(table)}
    assert kept == {"h_custom_tool_version"}
    assert ToolVersion.objects.get().tool is None
    assert ToolDefinition.objects.get() == other


def count_rows(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - a name of ours
        return int(cursor.fetchone()[0])


def test_deleted_draft_takes_its_test_runs_along() -> None:
    ToolTrial.objects.create(draft=ToolDraft.objects.create(document={}), username="kim")

    execute("DELETE FROM h_custom_tool_draft")

    assert not ToolTrial.objects.exists()


def our_links() -> list[tuple[str, str, str, str]]:
    """Every foreign key of our models: table, column, the table it refers to, and its action."""
    ours = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.db_table.startswith("h_")
    ]
    return [
        (
            model._meta.db_table,
            field.column,
            field.related_model._meta.db_table,
            ACTIONS.get(field.remote_field.on_delete, ""),
        )
        for model in ours
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey)
    ]


def test_every_link_of_ours_does_in_the_database_what_its_model_says() -> None:
    # Its trigger ends the keys of a deleted owner, which Django cannot say.
    links = [link for link in our_links() if link[:2] != ("h_api_key", "owner_id")]

    differing = [
        (table, column, action, found)
        for table, column, parent, action in links
        if (found := find_references(parent)[table, column]) != action
    ]

    assert differing == []


def test_deleted_data_source_takes_its_catalogue_along() -> None:
    source = DataSource.objects.create(name="shop", host="h", database="d", username="u")
    source.allowed_users.add(User.objects.create_user("kim"))
    table = CatalogTable.objects.create(source=source, name="orders")
    ToolUse.objects.create(tool=make_tool(), table=table)

    execute("DELETE FROM h_data_source")

    assert not CatalogTable.objects.exists()
    assert not ToolUse.objects.exists()
    assert ToolDefinition.objects.exists()


def test_data_source_of_a_tool_stays() -> None:
    source = DataSource.objects.create(name="shop", host="h", database="d", username="u")
    make_tool(data_source=source)

    with pytest.raises(IntegrityError, match='constraint "h_custom_tool_data_source'):
        execute("DELETE FROM h_data_source")


def test_deleted_user_takes_rights_along_and_leaves_history() -> None:
    user = User.objects.create_user("kim")
    user.groups.add(Group.objects.create(name="makers"))
    user.user_permissions.add(Permission.objects.order_by("pk")[0])
    source = DataSource.objects.create(name="shop", host="h", database="d", username="u")
    source.allowed_users.add(user)
    CatalogQuery.objects.create(user=user, query="orders")

    execute("DELETE FROM auth_user WHERE username = 'kim'")

    assert CatalogQuery.objects.get().user is None
    assert not source.allowed_users.exists()


def test_keys_of_a_deleted_user_end() -> None:
    owner = User.objects.create_user("kim")
    key = issue_key("agent").key
    ApiKey.objects.filter(pk=key.pk).update(owner=owner)

    execute("DELETE FROM auth_user WHERE username = 'kim'")

    key = ApiKey.objects.get()
    assert (key.owner, key.is_valid) == (None, False)
