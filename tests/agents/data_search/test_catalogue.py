"""Tables of the catalogue as lines of a prompt."""

import pytest

from agents.data_search.catalogue import (
    check_columns,
    describe_columns,
    describe_notes,
    find_referred_tables,
    find_tables,
)
from agents.data_search.constants import CATALOGUE_CHARACTER_LIMIT
from agents.data_search.replies import StandardColumn
from tests.agents.data_search.conftest import USERS


def test_columns_are_described_one_a_line() -> None:
    lines = describe_columns([USERS]).splitlines()

    assert lines == [
        "public.users.id | bigint | Key | PK",
        "public.users.email | text | 이메일 / e-mail | ",
    ]


def test_tables_behind_foreign_keys_are_found_once() -> None:
    def column(table: str) -> dict[str, object]:
        return {"name": "n", "foreign_key": {"table": table, "column": "id"}}

    orders = {"name": "orders", "schema": "shop", "columns": [column("users"), column("users")]}
    lines = {"name": "lines", "columns": [column("shop.orders"), {"name": "note"}]}

    assert find_referred_tables([orders, lines]) == ["users"]


def test_foreign_keys_are_named() -> None:
    column = {"name": "user_id", "foreign_key": {"table": "users", "column": "id"}}

    line = describe_columns([{"name": "orders", "schema": "public", "columns": [column]}])

    assert line == "public.orders.user_id |  |  | FK users.id"


def test_a_catalogue_over_the_limit_ends_with_a_whole_line() -> None:
    columns = [{"name": f"c{n}", "type": "text", "description": "d" * 100} for n in range(1_000)]

    text = describe_columns([{"name": "t", "schema": "s", "columns": columns}])

    assert len(text) <= CATALOGUE_CHARACTER_LIMIT
    assert text.splitlines()[-1].startswith("s.t.c")
    assert text.endswith(" | ")


def test_notes_and_joins_are_told() -> None:
    notes = describe_notes([USERS])

    assert "public.users, notes: Ignore test accounts." in notes
    assert "public.users, join: orders.user_id = users.id" in notes


def test_tables_of_documents_come_most_named_first() -> None:
    documents = [
        "table: a, column: x",
        '{"table": "b", "column_name": "y"}',
        "table: b, column: z",
        "question: how many?",
    ]

    assert find_tables(documents) == ["b", "a"]


@pytest.mark.parametrize("table", ["users", "public.users", "PUBLIC.USERS", '"public"."users"'])
def test_columns_get_their_catalogue_names(table: str) -> None:
    checked, faults = check_columns([StandardColumn(table=table, column="EMAIL")], [USERS])

    assert [(column.table, column.column) for column in checked] == [("public.users", "email")]
    assert faults == []


@pytest.mark.parametrize(
    ("table", "column", "fault"),
    [
        ("nowhere", "x", "table nowhere is not in the catalogue"),
        ("users", "mail", "public.users has no column mail; its columns are id, email"),
    ],
    ids=["table", "column"],
)
def test_what_does_not_exist_is_named(table: str, column: str, fault: str) -> None:
    checked, faults = check_columns([StandardColumn(table=table, column=column)], [USERS])

    assert (checked, faults) == ([], [fault])
