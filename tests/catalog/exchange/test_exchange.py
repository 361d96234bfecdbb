"""Descriptions go into a file and come back: nothing lost, nothing written that was not shown."""

from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalog.exchange.apply import apply_import
from catalog.exchange.export import FileFormat, export_descriptions
from catalog.exchange.plan import ImportPlan, plan_from_json, read_import
from catalog.models import CatalogColumn, CatalogTable, Tag
from tests.catalog.conftest import MakeSource
from tests.catalog.rows import column_of, make_table

pytestmark = pytest.mark.django_db

# What PostgreSQL can keep.
TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from("=+-@'\"\n;")
)
NAME = TEXT.filter(bool)


def export(file_format: FileFormat = FileFormat.CSV) -> str:
    return "".join(export_descriptions(file_format, CatalogTable.objects.all()))


def plan(text: str, file_format: FileFormat = FileFormat.CSV) -> ImportPlan:
    return read_import(BytesIO(text.encode()), f"a.{file_format}", CatalogTable.objects.all())


def apply(text: str) -> ImportPlan:
    found = plan(text)
    apply_import(found, "jo", CatalogTable.objects.all())
    return found


@pytest.mark.parametrize("file_format", FileFormat)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names=st.tuples(NAME, NAME, NAME), texts=st.tuples(TEXT, TEXT, TEXT, TEXT))
@example(names=("0", "0", "0"), texts=("", "", "", "\n"))
@example(names=("0", "0", "0"), texts=("", "", " '=1", "0\n\x1b"))
@example(names=("0", "0", "0"), texts=("\x1b0\n1", "", "-", " "))
def test_export_imported_unchanged_changes_nothing(
    file_format: FileFormat, names: tuple[str, str, str], texts: tuple[str, str, str, str]
) -> None:
    CatalogTable.objects.all().delete()
    schema, name, column = names
    table = CatalogTable.objects.create(
        schema=schema, name=name, display_name=texts[0], description=texts[1], notes=texts[2]
    )
    CatalogColumn.objects.create(table=table, name=column, description=texts[3], is_masked=True)

    found = plan(export(file_format), file_format)

    assert (found.changes, found.faults, found.unknown) == ([], [], [])
    assert found.row_count == 2


def test_csv_is_for_excel_and_runs_nothing() -> None:
    make_table(
        columns={"id": {"type_name": "bigint", "source_comment": "key", "description": "=1+1"}},
        tags=["売上", "日次"],
        notes="a\nb",
        schema="",
    )

    assert export() == (
        "\ufeffdatasource,schema,table,column,type,comment,"
        "display_name,description,tags,notes,masked\r\n"
        'main_db,,sales,,table,,,,売上;日次,"a\nb",\r\n'
        "main_db,,sales,id,bigint,key,,'=1+1,,,\r\n"
    )


def test_yaml_is_pleasant_to_edit() -> None:
    make_table(columns={"id": {"type_name": "bigint", "is_masked": False}}, tags=["売上"])

    assert export(FileFormat.YAML) == (
        "- table: sales\n  datasource: main_db\n  schema: public\n  display_name:\n"
        "  description:\n  tags:\n    - 売上\n  notes:\n  columns:\n"
        '    - name: id\n      type: bigint\n      display_name:\n      description:\n      masked: "no"\n\n'
    )


def test_gone_columns_are_left_out() -> None:
    table = make_table(columns=["id", "old"])
    CatalogColumn.objects.filter(name="old").update(gone_at=table.updated_at)

    assert ",old," not in export()


EDITED = (
    "table,column,display_name,description,tags,notes,masked\n"
    "sales,,売上,,売上|日次,-,\n"
    "sales,email,,사용자 이메일,,,yes\n"
)


@pytest.fixture
def sales() -> CatalogTable:
    sample = {"columns": ["email"], "rows": [["a@b.c"]]}
    return make_table(columns=["email"], tags=["old"], notes="n", description="kept", sample=sample)


def test_plan_shows_old_and_new_and_what_is_lost(sales: CatalogTable) -> None:
    found = plan(EDITED)

    assert [
        (change.line, change.column, change.name, change.old, change.new)
        for change in found.changes
    ] == [
        (2, "", "display_name", "", "売上"),
        (2, "", "tags", ["old"], ["売上", "日次"]),
        (2, "", "notes", "n", ""),
        (3, "email", "description", "", "사용자 이메일"),
        (3, "email", "masked", None, True),
    ]
    assert (found.cleared, found.blank, found.unchanged) == (1, 1, 0)
    assert sales.notes == CatalogTable.objects.get().notes


def test_plan_survives_json(sales: CatalogTable) -> None:
    found = plan(f"{EDITED}slaes,,,,,,\n{sales.name},,,,,,\n")

    assert plan_from_json(found.to_json()) == found


def test_apply_writes_exactly_the_plan(sales: CatalogTable) -> None:
    report = apply_import(plan(EDITED), "jo", CatalogTable.objects.all())

    sales.refresh_from_db()
    column = column_of(sales, "email")
    assert (report.applied, report.skipped) == (5, [])
    assert (sales.display_name, sales.description, sales.notes) == ("売上", "kept", "")
    assert (column.description, column.is_masked) == ("사용자 이메일", True)
    assert (sales.updated_by, column.updated_by) == ("jo", "jo")
    assert {tag.name for tag in Tag.objects.all()} == {"売上", "日次"}
    assert sales.sample == {"columns": ["email"], "rows": [["***"]]}
    assert plan(EDITED).changes == []


def test_text_that_changed_since_it_was_shown_is_left_alone(sales: CatalogTable) -> None:
    found = plan(EDITED)
    CatalogTable.objects.update(display_name="theirs")

    report = apply_import(found, "jo", CatalogTable.objects.all())

    assert [change.name for change in report.skipped] == ["display_name"]
    assert CatalogTable.objects.get().display_name == "theirs"


def test_tables_that_one_may_not_write_are_unknown_and_skipped(sales: CatalogTable) -> None:
    others = CatalogTable.objects.exclude(pk=sales.pk)

    assert read_import(BytesIO(EDITED.encode()), "a.csv", others).changes == []
    assert apply_import(plan(EDITED), "jo", others).applied == 0


def test_searches_follow_once(sales: CatalogTable, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        apply(EDITED)

    assert len(callbacks) == 1


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        pytest.param("sales,,,,,,\nsales,,,,,,", "sales: is there already, in line 2", id="twice"),
        pytest.param("sales,email,,,tag,,", "sales.email: only tables have tags", id="tags"),
        pytest.param("sales,email,,,,,maybe", "masked is yes, no, or empty", id="masked"),
        pytest.param(f"sales,,{'x' * 201},,,,", "at most 200 are kept", id="long"),
        pytest.param("sales,,a\0b,,,,", "display_name holds the character U+0000", id="nul"),
    ],
)
@pytest.mark.usefixtures("sales")
def test_faulty_row_is_named_and_the_others_go_on(row: str, fault: str) -> None:
    found = plan(f"table,column,display_name,description,tags,notes,masked\n{row}\n")

    assert found.changes == []
    assert fault in found.faults[0].text


@pytest.mark.usefixtures("sales")
def test_unknown_names_come_with_near_ones() -> None:
    found = plan("table,column,description\nslaes,,a\nsales,emial,b\na\0b,,c\n")

    assert [(one.line, one.table, one.column, list(one.near)) for one in found.unknown] == [
        (2, "slaes", "", ["sales"]),
        (3, "sales", "emial", ["email"]),
        (4, "a\0b", "", []),
    ]


def test_name_of_several_tables_needs_its_data_source(make_source: MakeSource) -> None:
    make_table()
    other = make_table(source=make_source("shop"))

    ambiguous = plan("table,description\nsales,a\n")
    named = plan("datasource,table,description\nshop,sales,a\n")

    assert ambiguous.faults[0].text == (
        "sales may mean several: main_db: public.sales, shop: public.sales; fill datasource and schema"
    )
    assert [change.table_id for change in named.changes] == [other.pk]


def test_five_hundred_columns_take_few_queries(django_assert_max_num_queries: Any) -> None:
    make_table(columns=[f"c{number}" for number in range(500)])
    rows = "".join(f"sales,c{number},d{number}\n" for number in range(500))

    with django_assert_max_num_queries(20):
        found = apply(f"table,column,description\n{rows}")

    assert len(found.changes) == 500
    assert CatalogColumn.objects.filter(description="d499", name="c499").exists()
