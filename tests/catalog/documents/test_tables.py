"""Tables and columns are told as documents, of which nobody may not know."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.documents.searchable import read_searchable
from catalog.documents.tables import (
    MAX_DESCRIPTION_CHARACTERS,
    MAX_KEY_CHARACTERS,
    refresh_all_documents,
    refresh_source_documents,
    refresh_table_documents,
    remove_unserved_documents,
)
from catalog.models import CatalogColumn, CatalogTable, DataSource, ReferenceDocument, Tag
from catalog.serving.table_names import read_agent_names
from tests.catalog.described_tables import make_data_source, make_table, texts

pytestmark = pytest.mark.django_db
EMAIL = {"name": "email", "type_name": "varchar(255)", "source_comment": "사용자 이메일 주소"}


def sample(**values: Any) -> dict[str, Any]:
    return {"columns": list(values), "rows": [[None] * len(values), list(values.values())]}


def example_of(**values: Any) -> str:
    """The example in the document of the column `c`, which the values describe."""
    column = {
        "name": "c",
        **{key: values.pop(key) for key in {"name", "is_masked"} & values.keys()},
    }
    table = make_table(columns=[column], sample=sample(**{column["name"]: values["value"]}))
    refresh_table_documents([table.pk])
    _, found, example = texts()[f"catalogue:main_db/public.users.{column['name']}"].partition(
        ", example: "
    )
    return example if found else ""


def test_column_is_told_as_files_tell_it() -> None:
    table = make_table(columns=[EMAIL])

    refresh_table_documents([table.pk])

    assert texts()["catalogue:main_db/public.users.email"] == (
        "table: users, column: email, type: varchar(255), description: 사용자 이메일 주소"
    )


def test_what_people_wrote_comes_before_comments() -> None:
    column = {**EMAIL, "display_name": "이메일", "description": "로그인에 씁니다"}
    table = make_table(columns=[column], display_name="회원", notes="휴면 제외")
    table.tags.add(Tag.objects.create(name="고객"))
    CatalogTable.objects.update(description="쇼핑몰 회원", source_comment="Users of the shop")

    refresh_table_documents([table.pk])

    assert texts() == {
        "catalogue:main_db/public.users": (
            "table: users, display_name: 회원, description: 쇼핑몰 회원 Users of the shop,"
            " tags: 고객, notes: 휴면 제외"
        ),
        "catalogue:main_db/public.users.email": (
            "table: users, column: email, type: varchar(255), description: 이메일: 로그인에 씁니다"
        ),
    }


@pytest.mark.parametrize(
    ("values", "example"),
    [
        pytest.param({"value": "서울"}, "서울", id="text"),
        pytest.param({"value": {"city": "東京"}}, '{"city": "東京"}', id="JSON"),
        pytest.param({"value": "a\n b" + "c" * 90}, "a b" + "c" * 56 + "…", id="long"),
        pytest.param({"value": False}, "false", id="boolean"),
        pytest.param({"value": "***"}, "", id="masked by the scan"),
        pytest.param({"value": "secret", "is_masked": True}, "", id="masked since the scan"),
        pytest.param({"value": "a@b.com", "name": "email"}, "", id="masked by its name"),
        pytest.param(
            {"value": "a@b.com", "name": "email", "is_masked": False}, "a@b.com", id="unmasked"
        ),
    ],
)
def test_example_is_the_first_value_that_may_be_shown(values: Any, example: str) -> None:
    assert example_of(**values) == example


def test_values_of_the_sample_lead_to_their_column_and_are_not_shown() -> None:
    cities = {"columns": ["city", "email"], "rows": [["서울", "a@b.com"], ["Busan", "c@d.com"]]}
    table = make_table(columns=[{"name": "city"}, {"name": "email"}], sample=cities)
    refresh_table_documents([table.pk])

    stored = read_searchable(list(texts()))

    searched = {each.column.name: each.column.description for each in stored}
    assert searched["city"] == "서울\nBusan"
    assert (searched["email"], "Busan" in str(texts())) == ("", False)


def test_second_refresh_writes_nothing() -> None:
    table = make_table()

    assert refresh_table_documents([table.pk]) == 3
    assert refresh_table_documents([table.pk]) == 0


def test_only_what_changed_is_written() -> None:
    table = make_table()
    refresh_table_documents([table.pk])
    before = dict(ReferenceDocument.objects.values_list("key", "updated_at"))
    CatalogColumn.objects.filter(name="email").update(description="new")

    assert refresh_table_documents([table.pk]) == 1
    after = dict(ReferenceDocument.objects.values_list("key", "updated_at"))
    assert [key for key in after if after[key] != before[key]] == [
        "catalogue:main_db/public.users.email"
    ]


def test_gone_column_loses_its_document() -> None:
    table = make_table()
    refresh_table_documents([table.pk])
    CatalogColumn.objects.filter(name="email").update(gone_at=timezone.now())

    refresh_table_documents([table.pk])

    assert set(texts()) == {
        "catalogue:main_db/public.users",
        "catalogue:main_db/public.users.id",
    }


@pytest.mark.parametrize(
    "change", [{"gone_at": timezone.now()}, {"is_hidden": True}], ids=["gone", "hidden"]
)
def test_table_that_is_not_served_loses_its_documents(change: dict[str, Any]) -> None:
    table = make_table()
    refresh_table_documents([table.pk])
    CatalogTable.objects.update(**change)

    refresh_table_documents([table.pk])

    assert texts() == {}


def test_restricted_data_source_has_no_documents() -> None:
    table = make_table(source=make_data_source(is_restricted=True))

    refresh_table_documents([table.pk])

    assert texts() == {}


@pytest.mark.parametrize(
    "change", [{"is_restricted": True}, {"name": "renamed"}], ids=["restricted", "renamed"]
)
def test_documents_of_a_changed_data_source_are_removed(change: dict[str, Any]) -> None:
    refresh_table_documents([make_table(source=make_data_source()).pk, make_table("kept").pk])
    DataSource.objects.update(**change)

    assert remove_unserved_documents() == 3
    assert all(key.startswith("catalogue:main_db/public.kept") for key in texts())


def test_documents_follow_a_data_source_to_its_new_name() -> None:
    source = make_data_source()
    refresh_table_documents([make_table(source=source).pk])
    DataSource.objects.update(name="sales")

    refresh_source_documents(source.pk)

    assert "catalogue:sales/public.users.email" in texts()
    assert len(texts()) == 3


def test_deleted_table_loses_its_documents_at_the_next_refresh_of_all() -> None:
    refresh_table_documents([make_table().pk, make_table("kept").pk])
    CatalogTable.objects.filter(name="users").delete()

    refresh_all_documents()

    assert {key.rpartition("/")[2] for key in texts()} == {
        "public.kept",
        "public.kept.id",
        "public.kept.email",
    }


def test_files_of_people_are_left_alone() -> None:
    ReferenceDocument.objects.create(key="column:users.email", kind="column", text="mine")
    make_table()

    refresh_all_documents()

    assert texts()["column:users.email"] == "mine"
    assert len(texts()) == 4


def test_namesake_gives_the_known_table_another_name() -> None:
    refresh_table_documents([make_table().pk])

    refresh_table_documents([make_table(schema="crm").pk])

    found = ReferenceDocument.objects.filter(kind="table").values_list("table_name", flat=True)
    assert set(found) == {"public.users", "crm.users"}


def test_documents_have_the_names_that_agents_ask_for() -> None:
    make_table()
    make_table(source=make_data_source())
    make_table("odd.name", schema="")

    refresh_all_documents()

    found = ReferenceDocument.objects.values_list("table_name", flat=True)
    assert set(found) == set(read_agent_names().values())
    assert set(found) == {"main_db.public.users", "crm.public.users", "odd.name"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param('"; DROP\nTABLE 表 😀', id="hostile"),
        pytest.param("表" * 2_000, id="long"),
        pytest.param("a.b.c", id="dots"),
        pytest.param("<script>", id="markup"),
    ],
)
def test_any_name_has_documents_of_its_own(name: str) -> None:
    table = make_table(name, columns=[name, "b.c", "b%2Ec"], schema="a")
    other = make_table("a", columns=["b.c"], schema=name[:60])

    refresh_table_documents([table.pk, other.pk])

    assert ReferenceDocument.objects.count() == 6
    assert max(map(len, texts())) <= MAX_KEY_CHARACTERS


def test_of_a_huge_comment_the_beginning_is_told() -> None:
    table = make_table(columns=[], source_comment="<b>word</b>\n" * 9_000)

    refresh_table_documents([table.pk])

    [text] = texts().values()
    assert text.startswith("table: users, description: <b>word</b> <b>word</b>")
    assert len(text) < MAX_DESCRIPTION_CHARACTERS + 50


def test_few_documents_are_urgent_and_many_are_not() -> None:
    few = make_table("few")
    many = make_table("many", columns=[f"c{number}" for number in range(100)])

    refresh_table_documents([few.pk])
    refresh_table_documents([many.pk])

    urgent = ReferenceDocument.objects.filter(is_urgent=True)
    assert set(urgent.values_list("table_name", flat=True)) == {"few"}


def test_number_of_queries_does_not_depend_on_the_number_of_tables() -> None:
    ids = [make_table(f"t{number}").pk for number in range(40)]

    with CaptureQueriesContext(connection) as captured:
        refresh_table_documents(ids)

    assert len(captured) <= 12
