"""What is read again of the served set, and with which dialect."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from access.toolsets.models import Toolset
from catalog.models import DataSource
from core.toolspec import Dialect, SqlLogic
from tests.factories import make_tool
from tools.models import RegistryChange, RegistryRevision, ToolDefinition
from tools.registry import ServedRows, read_served_rows

pytestmark = pytest.mark.django_db


SQLITE = {"engine": "sqlite", "path": "/data/shop.db", "host": "", "database": "", "username": ""}


def make_source(name: str, **columns: Any) -> DataSource:
    server = {"host": "127.0.0.1", "database": "demo", "username": "reader"}
    return DataSource.objects.create(name=name, **server | columns)


def dialect_of(rows: ServedRows) -> Dialect:
    [spec] = rows.specs
    assert isinstance(spec.logic, SqlLogic)
    return spec.logic.dialect


def test_tool_speaks_the_sql_of_its_data_source() -> None:
    make_tool(data_source=make_source("shop", **SQLITE))

    assert dialect_of(read_served_rows()) is Dialect.SQLITE


@pytest.mark.parametrize(
    "definition",
    ['{"sql": "SELECT 1", "data_source": "shop"}', ' \n{"sql": "SELECT 1", "data_source": "shop"}'],
    ids=["JSON", "JSON after blanks"],
)
def test_tool_that_names_its_source_is_read_again_when_the_engine_changes(definition: str) -> None:
    make_source("shop")
    make_tool(definition)
    before = read_served_rows()
    assert not read_served_rows(before.fingerprints).specs

    DataSource.objects.update(**SQLITE)

    assert dialect_of(read_served_rows(before.fingerprints)) is Dialect.SQLITE


def test_tools_of_other_definitions_are_not_read_again_when_a_source_is_registered() -> None:
    make_tool("SELECT 1 AS one")
    before = read_served_rows()

    make_source("shop")

    assert not read_served_rows(before.fingerprints).specs


def restrict(name: str, *users: str) -> None:
    source = make_source(name, is_restricted=True)
    for user in users:
        source.allowed_users.add(User.objects.create_user(user))


def test_tool_of_an_allowed_user_is_served() -> None:
    restrict("payroll", "kim")
    make_tool(data_source=DataSource.objects.get(), updated_by="kim")

    assert len(read_served_rows().specs) == 1


@pytest.mark.parametrize("author", ["lee", ""], ids=["another user", "nobody"])
def test_tool_of_another_user_is_quarantined_with_the_reason(author: str) -> None:
    restrict("payroll", "kim")
    tool = make_tool(data_source=DataSource.objects.get(), updated_by=author)

    rows = read_served_rows()

    assert "may not use the data source 'payroll'" in str(rows.unreadable[tool.id])


def test_last_writer_of_a_tool_counts_not_its_creator() -> None:
    restrict("payroll", "kim")
    tool = make_tool(data_source=DataSource.objects.get(), created_by="kim", updated_by="lee")

    assert tool.id in read_served_rows().unreadable


@pytest.mark.parametrize(
    "columns",
    [{}, {"definition": '{"sql": "SELECT 1", "data_source": "payroll"}'}],
    ids=["column", "JSON definition"],
)
def test_withdrawn_right_takes_the_tool_down(columns: dict[str, str]) -> None:
    restrict("payroll", "kim")
    source = None if columns else DataSource.objects.get()
    tool = make_tool(data_source=source, updated_by="kim", **columns)
    before = read_served_rows()

    DataSource.objects.get().allowed_users.clear()

    after = read_served_rows(before.fingerprints)
    assert after.revision > before.revision
    assert tool.id in after.unreadable


def test_reading_many_tools_takes_as_many_queries_as_reading_one(
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(30):
        make_tool(f"SELECT {number} AS one", name=f"one_{number}")

    with django_assert_max_num_queries(11):
        assert len(read_served_rows().specs) == 30


def test_equal_parameters_of_many_tools_are_one_object() -> None:
    parameter = {"param_name": "day", "param_type": "DATE", "is_required": False, "example": "x"}
    for number in range(2):
        make_tool("SELECT :day AS day", parameters=[parameter], name=f"tool_{number}")

    first, second = read_served_rows().specs

    assert first.parameters[0].example == "x"
    assert first.parameters[0] is second.parameters[0]


# A row's version is that of its transaction.
@pytest.mark.django_db(transaction=True)
def test_edited_tool_is_read_alone() -> None:
    first, second = make_tool(name="first"), make_tool(name="second", parameters=["who"])
    before = read_served_rows()
    ToolDefinition.objects.filter(pk=first.pk).update(title="new")
    second.parameters.update(description="new")

    after = read_served_rows(before.fingerprints, before.revision)

    assert after.read == frozenset({first.pk, second.pk})
    assert {spec.name for spec in after.specs} == {"first", "second"}
    assert not read_served_rows(after.fingerprints, after.revision).specs
    assert read_served_rows(after.fingerprints, after.revision).read == frozenset()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda: make_source("shop"), id="a data source"),
        pytest.param(lambda: RegistryChange.objects.all().delete(), id="the log is lost"),
    ],
)
def test_where_any_tool_may_have_changed_all_are_read(change: Callable[[], object]) -> None:
    make_tool(name="first")
    before = read_served_rows()
    make_tool(name="second")

    change()

    after = read_served_rows(before.fingerprints, before.revision)
    assert after.read is None
    assert [spec.name for spec in after.specs] == ["second"]


def test_deleted_and_moved_rows_are_changes_of_their_tools() -> None:
    first, second = make_tool(name="first", parameters=["who"]), make_tool(name="second")
    gone = make_tool(name="gone")
    ids = {first.pk, second.pk, gone.pk}
    before = read_served_rows()

    first.parameters.update(tool=second)
    gone.delete()

    after = read_served_rows(before.fingerprints, before.revision)
    assert after.read == frozenset(ids)
    assert after.fingerprints.keys() == {first.pk, second.pk}


def test_statement_that_changes_no_row_is_no_change() -> None:
    revision = RegistryRevision.current()

    ToolDefinition.objects.filter(name="none").update(title="new")

    assert RegistryRevision.current() == revision


def test_what_stands_beside_tools_is_read_where_it_has_changed() -> None:
    tool = make_tool(name="first")
    before = read_served_rows()
    ToolDefinition.objects.filter(pk=tool.pk).update(title="new")

    after = read_served_rows(before.fingerprints, before.revision, before)
    Toolset.objects.create(name="sales")
    later = read_served_rows(after.fingerprints, after.revision, after)

    assert after.is_edit
    assert after.sources is before.sources
    assert after.limits is before.limits
    assert not later.is_edit
    assert later.toolsets.keys() - before.toolsets.keys() == {"sales"}
