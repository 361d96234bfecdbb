"""Files become rows: whole or not at all, each source on its own, and found by their words."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.documents.files import DocumentFileError
from catalog.documents.stored import (
    LoadReport,
    find_sources,
    load_documents,
    load_files,
    refresh_documents,
    remove_source,
    search_documents_by_text,
)
from catalog.models import DocumentKind, ReferenceDocument
from tests.catalog.documents.conftest import EMAIL, WriteFile, column, columns, load

pytestmark = pytest.mark.django_db


def keys() -> set[str]:
    return set(ReferenceDocument.objects.values_list("key", flat=True))


def test_row_holds_what_the_file_says() -> None:
    load(column(example="a@b.c", metadata={"owner": "sales"}), source="schema.jsonl")

    row = ReferenceDocument.objects.get()
    assert (row.kind, row.table_name, row.column_name) == (DocumentKind.COLUMN, "users", "email")
    assert row.text.startswith("table: users, column: email, type: VARCHAR(255), description: ")
    assert row.content == EMAIL | {"example": "a@b.c"}
    assert row.metadata == {"owner": "sales"}
    assert (row.source, row.is_indexed) == ("schema.jsonl", False)


def test_report_counts_what_was_done() -> None:
    load(column("kept"), column("changed"), column("gone"))

    report = load_documents("a", [column("kept"), column("changed", example="1"), column("new")])

    assert report == LoadReport("a", added=1, changed=1, unchanged=1, removed=1)
    assert report.total == 3
    assert keys() == {"column:users.kept", "column:users.changed", "column:users.new"}


def test_second_load_writes_nothing() -> None:
    load(*columns(3))
    before = list(ReferenceDocument.objects.values())

    load(*columns(3))

    assert list(ReferenceDocument.objects.values()) == before


def test_change_of_metadata_is_a_change() -> None:
    load(column())

    assert load_documents("a", [column(metadata={"owner": "sales"})]).changed == 1


def test_other_sources_are_left_alone() -> None:
    load(column("a"), source="a")

    load(column("b"), source="b")

    assert keys() == {"column:users.a", "column:users.b"}
    assert find_sources() == ["a", "b"]


def test_document_of_another_source_is_refused_with_its_name() -> None:
    load(column(), source="old.csv")

    with pytest.raises(DocumentFileError, match=r"from the source 'old\.csv'; load both under one"):
        load(column(), column("other"), source="new.csv")

    assert keys() == {"column:users.email"}


def test_all_faults_of_all_files_are_said_and_nothing_is_written(write_file: WriteFile) -> None:
    good = write_file("good.jsonl", json.dumps(EMAIL))
    bad = write_file("bad.jsonl", '{"text": 1}\n{"table": "t"}\nnonsense')
    load(column(), source="old")

    with pytest.raises(DocumentFileError) as caught:
        load_files({"good": [good], "bad": [bad]})

    assert [fault.split(": ")[0] for fault in caught.value.faults] == [
        f"{good}:1",
        f"{bad}:2",
        f"{bad}:3",
    ]
    assert find_sources() == ["old"]


def test_empty_file_does_not_remove_its_source(write_file: WriteFile) -> None:
    load(column(), source="a.jsonl")

    with pytest.raises(DocumentFileError, match=r"holds no documents; .* use --remove"):
        load_files({"a.jsonl": [write_file("a.jsonl", "\n")]})

    assert keys() == {"column:users.email"}


def test_several_files_are_one_source_together(write_file: WriteFile) -> None:
    paths = [write_file(f"{name}.jsonl", json.dumps({"text": name})) for name in "ab"]

    (report,) = load_files({"shop": paths})

    assert report == LoadReport("shop", added=2, changed=0, unchanged=0, removed=0)


def test_removed_source_is_gone() -> None:
    load(*columns(2), source="a")
    load(column(), source="b")

    assert remove_source("a") == 2
    assert find_sources() == ["b"]


def test_text_of_a_stored_row_is_that_of_its_file() -> None:
    load(column(example="1"))
    (text,) = ReferenceDocument.objects.values_list("text", flat=True)

    assert refresh_documents() == 0
    assert text == column(example="1").render("text")


def test_other_format_gives_other_texts(settings: Any) -> None:
    load(column())
    settings.SQL_REFERENCE_FORMAT = "json"

    assert (refresh_documents(), refresh_documents()) == (1, 0)
    assert json.loads(ReferenceDocument.objects.get().text) == EMAIL


def test_row_of_another_program_is_taken_as_it_is() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO h_reference_document (key, kind, text) VALUES ('mine', 'text', 'Hello')"
        )

    assert refresh_documents() == 1
    row = ReferenceDocument.objects.get()
    assert (row.text, bool(row.content_hash)) == ("Hello", True)


@pytest.mark.parametrize(
    ("query", "column_name"),
    [
        pytest.param("e-mail addresses", "email", id="English"),
        pytest.param("이메일을 알려줘", "email", id="Korean"),
        pytest.param("登録はいつですか", "created_at", id="Japanese"),
    ],
)
def test_words_find_documents(query: str, column_name: str) -> None:
    load(
        column("email", description="사용자 이메일 주소 / e-mail address / メールアドレス"),
        column("created_at", description="계정 생성 일시 / sign-up time / 登録日時"),
        *columns(5),
    )

    assert f"column: {column_name}," in search_documents_by_text(query, 2)[0]


def test_search_by_words_gives_at_most_the_asked_number() -> None:
    load(*columns(5))

    assert len(search_documents_by_text("column number", 3)) == 3


def test_change_is_found_by_its_words_at_once() -> None:
    load(column(description="price"))
    search_documents_by_text("price", 1)

    load(column(description="weight"))

    assert search_documents_by_text("price", 1) == []
    assert len(search_documents_by_text("weight", 1)) == 1


def test_removal_is_noticed_at_once() -> None:
    load(column("a"), source="a")
    load(column("b"), source="b")
    search_documents_by_text("users", 5)

    remove_source("a")

    assert len(search_documents_by_text("users", 5)) == 1


def test_second_search_asks_the_database_once() -> None:
    load(*columns(3))
    search_documents_by_text("column", 1)

    with CaptureQueriesContext(connection) as queries:
        search_documents_by_text("column", 1)

    assert len(queries) == 1


def test_thousand_documents_are_loaded_with_few_queries() -> None:
    with CaptureQueriesContext(connection) as queries:
        load(*columns(1_000))

    assert len(queries) <= 10


def test_faulty_file_of_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentFileError, match=r"missing\.csv: cannot be read"):
        load_files({"a": [tmp_path / "missing.csv"]})


def test_source_of_the_catalogue_is_refused() -> None:
    with pytest.raises(DocumentFileError, match="choose another source"):
        load_documents("catalogue:main_db", [column()])
