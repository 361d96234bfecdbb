"""People's texts are checked, written once, never over those of somebody else, and found at once."""

from collections.abc import Callable
from typing import Any

import pytest

from catalog.editing.tables import edit_column, edit_table, set_tags
from catalog.models import CatalogTable, Tag
from catalog.searching.search import search_tables
from core.errors import EditError, StaleEditError
from tests.catalog.rows import column_of, make_table

pytestmark = pytest.mark.django_db

Capture = Callable[..., Any]


def tags_of(table: CatalogTable) -> list[str]:
    return sorted(table.tags.values_list("name", flat=True))


def test_texts_of_a_table_are_kept_with_who_wrote_them() -> None:
    table = make_table()

    changed = edit_table(table, "jo", display_name=" 売上\n一覧 ", notes="a\r\nb\n", is_hidden=True)

    row = CatalogTable.objects.get()
    assert changed
    assert (row.display_name, row.notes, row.is_hidden) == ("売上 一覧", "a\nb", True)
    assert row.updated_by == "jo"
    assert (table.display_name, table.updated_at) == (row.display_name, row.updated_at)


def test_composed_and_decomposed_texts_are_the_same() -> None:
    table = make_table(description="매출")

    assert not edit_table(table, "jo", description="매출")


def test_nothing_is_written_or_sent_where_nothing_changes(
    django_capture_on_commit_callbacks: Capture,
) -> None:
    table = make_table(columns=["id"], description="sold", tags=["a"])

    with django_capture_on_commit_callbacks() as callbacks:
        assert not edit_table(table, "jo", description="sold ")
        assert not edit_column(column_of(table, "id"), "jo", description="", is_masked=None)
        assert not set_tags(table, "jo", [" a"])

    assert callbacks == []
    assert CatalogTable.objects.get().updated_by == ""


def test_edit_is_found_once_it_is_committed(django_capture_on_commit_callbacks: Capture) -> None:
    table = make_table(columns=["amount"])

    with django_capture_on_commit_callbacks(execute=True):
        edit_column(column_of(table, "amount"), "jo", description="매출 금액")

    assert [hit.columns for hit in search_tables("금액").hits] == [("amount",)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(
            {"display_name": "x" * 201},
            "display_name has 201 characters; at most 200 are kept",
            id="long-name",
        ),
        pytest.param(
            {"description": "x" * 5_001},
            "description has 5,001 characters; at most 5,000 are kept",
            id="long-description",
        ),
        pytest.param({"notes": "x" * 20_001}, "at most 20,000 are kept", id="long-notes"),
        pytest.param(
            {"notes": "a\0b"},
            "notes holds the character U+0000, which cannot be kept; leave it out",
            id="nul",
        ),
        pytest.param({"description": "\ud800"}, "U+D800", id="half-a-surrogate"),
        pytest.param({"is_hidden": "maybe"}, "is_hidden is yes or no", id="no-choice"),
    ],
)
def test_text_that_cannot_be_kept_is_refused(changes: dict[str, Any], reason: str) -> None:
    table = make_table()

    with pytest.raises(EditError, match=reason.replace("+", r"\+")):
        edit_table(table, "jo", **changes)

    assert CatalogTable.objects.get().updated_by == ""


def test_column_of_a_scan_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="people do not write source_comment"):
        edit_table(make_table(), "jo", source_comment="mine")


def test_edit_of_an_old_text_is_refused_with_the_present_one() -> None:
    table = make_table(description="old")
    edit_table(make_copy(table), "kim", description="theirs")

    with pytest.raises(StaleEditError, match="somebody else has changed description") as caught:
        edit_table(table, "jo", {"description": "old"}, description="mine")

    assert caught.value.current == {"description": "theirs"}
    assert CatalogTable.objects.get().description == "theirs"


def test_same_edit_twice_is_no_conflict() -> None:
    table = make_table(description="old")
    edit_table(make_copy(table), "kim", description="new")

    assert not edit_table(table, "jo", {"description": "old"}, description="new")


def test_other_texts_of_the_row_may_change_meanwhile() -> None:
    table = make_table(description="old")
    edit_table(make_copy(table), "kim", notes="theirs")

    assert edit_table(table, "jo", {"description": "old"}, description="mine")


def make_copy(table: CatalogTable) -> CatalogTable:
    return CatalogTable.objects.get(pk=table.pk)


SAMPLE = {"columns": ["id", "email"], "rows": [[1, "a@b.c"], [2, None]], "read_at": "2026-01-01"}


def test_masking_a_column_blanks_its_sample_at_once() -> None:
    table = make_table(columns=["id", "email"], sample=SAMPLE)

    edit_column(column_of(table, "id"), "jo", is_masked=True)

    sample = CatalogTable.objects.get().sample
    assert sample == {**SAMPLE, "rows": [["***", "a@b.c"], ["***", None]]}


def test_leaving_a_sensitive_name_to_the_rule_blanks_its_sample() -> None:
    table = make_table(columns={"email": {"is_masked": False}}, sample=SAMPLE)

    edit_column(column_of(table, "email"), "jo", is_masked=None)

    assert CatalogTable.objects.get().sample == {**SAMPLE, "rows": [[1, "***"], [2, None]]}


def test_unmasking_waits_for_the_next_scan() -> None:
    rows = {**SAMPLE, "rows": [[1, "***"]]}
    table = make_table(columns={"email": {"is_masked": True}}, sample=rows)
    column = column_of(table, "email")
    before = column.updated_at

    edit_column(column, "jo", is_masked=False)

    assert CatalogTable.objects.get().sample == rows
    assert column.updated_at > before


def test_tags_are_set_and_unused_ones_go() -> None:
    table = make_table(tags=["old", "売上"])

    assert set_tags(table, "jo", [" 売上 ", "日次", "", "日次"])

    assert tags_of(table) == ["売上", "日次"]
    assert set(Tag.objects.values_list("name", flat=True)) == {"売上", "日次"}
    assert table.updated_by == "jo"


def test_tag_in_other_letters_is_the_known_one() -> None:
    make_table("a", tags=["Master"])
    table = make_table("b")

    set_tags(table, "jo", ["ｍａｓｔｅｒ", "MASTER"])

    assert tags_of(table) == ["Master"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        pytest.param(["x" * 51], "tag has 51 characters; at most 50 are kept", id="long"),
        pytest.param(["a;b"], "a tag holds no ; and no |: a;b", id="semicolon"),
        pytest.param([f"t{n}" for n in range(51)], "at most 50 tags, not 51", id="many"),
    ],
)
def test_bad_tag_is_refused(names: list[str], reason: str) -> None:
    table = make_table(tags=["kept"])

    with pytest.raises(EditError) as caught:
        set_tags(table, "jo", names)

    assert reason in str(caught.value)
    assert tags_of(table) == ["kept"]
