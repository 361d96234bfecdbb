"""People add relations that the database does not know, and only describe those that it does."""

from typing import Any

import pytest

from catalog.editing.relations import RelationTerms, add_relation, edit_relation, remove_relation
from catalog.models import CatalogTable, TableRelation
from core.catalogue.entries import RelationType
from core.errors import EditError
from tests.catalog.conftest import MakeSource
from tests.catalog.rows import make_table

pytestmark = pytest.mark.django_db

OWN: dict[str, Any] = {"columns": ["store_id"], "target_columns": ["id"]}
Pair = tuple[CatalogTable, CatalogTable]


@pytest.fixture
def pair() -> Pair:
    return make_table("sales", ["id", "store_id"]), make_table("stores", ["id"])


def foreign_key(pair: Pair) -> TableRelation:
    return TableRelation.objects.create(
        table=pair[0], target=pair[1], relation_type="foreign_key", constraint_name="fk", **OWN
    )


def test_own_relation_is_added(pair: Pair) -> None:
    relation = add_relation(*pair, "jo", RelationTerms(**OWN, description="where it was sold"))

    row = TableRelation.objects.get()
    assert row == relation
    assert (row.relation_type, row.columns, row.description) == (
        "own",
        ["store_id"],
        "where it was sold",
    )


def test_derived_relation_needs_no_columns_and_may_cross_data_sources(
    pair: Pair, make_source: MakeSource
) -> None:
    other = make_table("summary", source=make_source())

    add_relation(pair[0], other, "jo", RelationTerms(relation_type=RelationType.DERIVED))

    assert TableRelation.objects.get().target == other


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        pytest.param({}, "say which columns belong together", id="no-columns"),
        pytest.param(
            {"columns": ["shop"], "target_columns": ["id"]},
            "public.sales has no column shop",
            id="unknown-column",
        ),
        pytest.param({"columns": ["id"]}, "each column needs one of the other", id="unpaired"),
        pytest.param(
            {**OWN, "relation_type": RelationType.FOREIGN_KEY},
            "foreign keys are read by scans",
            id="foreign-key",
        ),
        pytest.param({**OWN, "join_condition": "x" * 2_001}, "at most 2,000", id="long-condition"),
    ],
)
def test_relation_that_cannot_be_is_refused(pair: Pair, terms: Any, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        add_relation(*pair, "jo", RelationTerms(**terms))

    assert not TableRelation.objects.exists()


def test_own_relation_stays_in_one_data_source(pair: Pair, make_source: MakeSource) -> None:
    other = make_table("stores", ["id"], source=make_source())

    with pytest.raises(EditError, match="tables of different data sources cannot be joined"):
        add_relation(pair[0], other, "jo", RelationTerms(**OWN))


def test_same_relation_is_not_added_twice(pair: Pair) -> None:
    add_relation(*pair, "jo", RelationTerms(**OWN))

    with pytest.raises(EditError, match="this relation is there already"):
        add_relation(*pair, "jo", RelationTerms(**OWN))


def test_foreign_key_is_described_and_nothing_else(pair: Pair) -> None:
    relation = foreign_key(pair)

    assert edit_relation(relation, "jo", description="店舗情報を取得する際に結合")
    with pytest.raises(EditError, match="only its description is yours"):
        edit_relation(relation, "jo", join_condition="true")
    with pytest.raises(EditError, match="it goes when the key goes"):
        remove_relation(relation, "jo")

    row = TableRelation.objects.get()
    assert (row.description, row.join_condition) == ("店舗情報を取得する際に結合", "")


def test_own_relation_is_edited_and_removed(pair: Pair) -> None:
    relation = add_relation(*pair, "jo", RelationTerms(**OWN))

    assert edit_relation(relation, "jo", join_condition="a = b")
    assert not edit_relation(relation, "jo", join_condition=" a =  b")
    remove_relation(relation, "jo")

    assert relation.join_condition == "a = b"
    assert not TableRelation.objects.exists()
