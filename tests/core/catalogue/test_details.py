"""Details tell all of a table, and say what an answer had no room for."""

from dataclasses import replace

import pytest

from core.catalogue.budgets import ANSWER_TOKENS, COLUMNS_TOKENS, weigh_json
from core.catalogue.details import details_answer
from core.catalogue.entries import (
    ColumnEntry,
    ColumnReference,
    RelationEntry,
    RelationType,
    Sample,
    TableEntry,
    TableName,
    TableSummary,
)
from core.errors import UnknownTableError
from core.json_text import encode_json
from core.toolspec import Dialect
from tests.core.catalogue.sales import DETAILS, SALES

BARE = TableEntry(
    summary=TableSummary(name="log"),
    source_name="shop",
    dialect=Dialect.SQLITE,
    table=TableName("", "log"),
)
HUGE_TEXT = "売" * 100_000


def columns(count: int, description: str = "") -> tuple[ColumnEntry, ...]:
    """Columns of which the last is the key and the one before it a foreign key."""
    target = ColumnReference(table="stores", column="id")
    plain = [
        ColumnEntry(name=f"column_{number}", type_name="text", description=description)
        for number in range(count - 2)
    ]
    foreign = ColumnEntry(name="store_id", type_name="integer", foreign_key=target)
    return (*plain, foreign, ColumnEntry(name="id", type_name="bigint", is_primary_key=True))


def with_sample(name: str, rows: int) -> TableEntry:
    sample = Sample(columns=("id", "amount"), rows=((1, "x" * 1_000),) * rows)
    return replace(SALES, summary=replace(SALES.summary, name=name), sample=sample)


def test_answer_is_the_contract_s_example_key_by_key() -> None:
    answer = details_answer([SALES], {})

    assert encode_json(answer) == encode_json({"tables": [DETAILS]})


def test_table_of_which_nothing_is_known_has_the_same_keys() -> None:
    answer = details_answer([BARE], {})

    assert answer["tables"] == [
        {
            "name": "log",
            "display_name": "log",
            "description": "",
            "datasource": "shop",
            "schema": "",
            "tags": [],
            "row_count": None,
            "columns": [],
            "sample_data": {"columns": [], "rows": []},
            "related_tables": [],
            "notes": "",
        }
    ]
    assert list(answer["tables"][0]) == list(DETAILS)


def test_note_says_why_there_is_no_sample() -> None:
    table = details_answer([replace(BARE, sample_note="The view failed: division by zero")], {})

    assert table["tables"][0]["sample_note"] == "The view failed: division by zero"


def test_unknown_table_stands_beside_the_others() -> None:
    answer = details_answer([SALES], {"stroes": ["stores"], "zzz": []})

    assert answer["tables"] == [DETAILS]
    assert answer["not_found"] == [
        {"name": "stroes", "did_you_mean": ["stores"]},
        {"name": "zzz", "did_you_mean": []},
    ]


def test_name_of_several_tables_alone_is_an_error_that_names_them() -> None:
    with pytest.raises(UnknownTableError) as caught:
        details_answer([], {"sales": ["public.sales", "archive.sales"]})

    assert str(caught.value) == (
        '"sales" means several tables; ask for public.sales or archive.sales.'
    )


def test_unknown_tables_alone_are_an_error_that_names_near_ones() -> None:
    with pytest.raises(UnknownTableError) as caught:
        details_answer([], {"stroes": ["stores", "store_log"], "zzz": []})

    assert str(caught.value) == (
        'There is no table "stroes" in the catalogue; did you mean stores or store_log?\n'
        'There is no table "zzz" in the catalogue; list_table_summaries lists them.'
    )


def test_thousands_of_unknown_names_are_counted() -> None:
    with pytest.raises(UnknownTableError, match=r"\n4950 more names are unknown\.\Z"):
        details_answer([], {f"{number}_" + "x" * 9_000: [] for number in range(5_000)})


def test_descriptions_are_shortened_before_columns_are_left_out() -> None:
    entry = replace(SALES, columns=columns(80, "売" * 200))

    table = details_answer([entry], {})["tables"][0]

    assert [len(column["description"]) for column in table["columns"][:78]] == [120] * 78
    assert table["columns_notice"].startswith("Descriptions of columns are shortened")
    assert "columns_left_out" not in table


def test_columns_are_left_out_from_the_end_but_keys_stay() -> None:
    entry = replace(SALES, columns=columns(1_600))

    table = details_answer([entry], {})["tables"][0]

    names = [column["name"] for column in table["columns"]]
    assert names[-2:] == ["store_id", "id"]
    assert names[:-2] == [f"column_{number}" for number in range(len(names) - 2)]
    assert table["columns_left_out"] == 1_600 - len(names) > 0
    assert COLUMNS_TOKENS * 0.95 <= weigh_json(table["columns"]) <= COLUMNS_TOKENS
    assert "information_schema.columns in the database lists all" in table["columns_notice"]


def test_sample_has_only_columns_that_are_told() -> None:
    told = columns(1_600)
    sample = Sample(columns=("column_0", "column_1597", "id"), rows=((1, 2, 3),))

    table = details_answer([replace(SALES, columns=told, sample=sample)], {})["tables"][0]

    assert table["sample_data"] == {"columns": ["column_0", "id"], "rows": [[1, 3]]}


def test_table_asked_for_alone_always_fits() -> None:
    relation = replace(SALES.relations[0], description=HUGE_TEXT)
    entry = replace(
        SALES,
        summary=replace(SALES.summary, display_name=HUGE_TEXT, description=HUGE_TEXT),
        columns=tuple(replace(column, description=HUGE_TEXT) for column in columns(1_000)),
        sample=Sample(columns=("id",), rows=((HUGE_TEXT,),)),
        relations=(relation,) * 500,
        notes=HUGE_TEXT,
    )

    answer = details_answer([entry], {})

    assert weigh_json(answer) <= ANSWER_TOKENS
    assert answer["tables"][0]["related_tables_left_out"] > 0
    assert answer["tables"][0]["sample_note"].startswith("Left out, because its rows are larger")


def test_largest_samples_are_left_out_first() -> None:
    entries = [with_sample("a", 40), with_sample("b", 60), *[with_sample("c", 50)] * 5]

    answer = details_answer(entries, {})

    assert [len(table["sample_data"]["rows"]) for table in answer["tables"]] == [40, 0, *[50] * 5]
    assert answer["tables"][1]["sample_note"].startswith("Left out to keep the answer")


def test_tables_that_do_not_fit_are_named() -> None:
    large = replace(SALES, columns=columns(700))
    entries = [replace(large, summary=TableSummary(name=f"table_{n}")) for n in range(9)]

    answer = details_answer([*entries, BARE], {})

    told = [table["name"] for table in answer["tables"]]
    assert told[-1] == "log"
    assert answer["left_out_tables"] == [f"table_{n}" for n in range(len(told) - 1, 9)] != []
    assert "of 10 tables are left out" in answer["notice"]
    assert weigh_json(answer) <= ANSWER_TOKENS


def test_own_relation_has_no_join_condition_where_none_was_written() -> None:
    relation = RelationEntry(name="a", display_name="", relation_type=RelationType.OWN)

    table = details_answer([replace(BARE, relations=(relation,))], {})["tables"][0]

    assert table["related_tables"] == [
        {"name": "a", "display_name": "a", "relation_type": "own", "description": ""}
    ]


def test_masked_column_says_so_and_others_do_not() -> None:
    masked = ColumnEntry(name="email", type_name="text", is_masked=True)
    entry = replace(BARE, columns=(masked, ColumnEntry(name="country", type_name="text")))

    [table] = details_answer([entry], {})["tables"]

    assert [column.get("masked") for column in table["columns"]] == [True, None]
