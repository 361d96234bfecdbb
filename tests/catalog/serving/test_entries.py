"""What is told of the catalogue's rows: names, rights, relations, masks."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from catalog.models import CatalogColumn, CatalogTable, DataSource
from catalog.serving.answers import tell_connection, tell_details, tell_summaries, tell_tags
from core.catalogue.masking import MASK
from core.errors import UnknownTableError
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import SALES_DETAILS, make_shop, make_table, relate

pytestmark = pytest.mark.django_db


def names_of(owner: str = "", tag: str | None = None) -> list[str]:
    return [table["name"] for table in tell_summaries(owner, tag)["tables"]]


def details_of(name: str, owner: str = "") -> dict[str, Any]:
    [table] = tell_details(owner, [name])["tables"]
    return dict(table)


def test_sales_transactions_are_told_as_in_the_example_with_all_keys_in_order() -> None:
    make_shop()

    told = details_of("sales_transactions")

    assert told == SALES_DETAILS
    assert list(told) == list(SALES_DETAILS)
    assert [list(column) for column in told["columns"]] == [
        list(column) for column in SALES_DETAILS["columns"]
    ]


def test_summaries_have_no_columns_and_no_samples() -> None:
    make_shop()

    answer = tell_summaries("")

    assert answer["total"] == 4
    assert answer["tables"][2] == {
        "name": "sales_transactions",
        "display_name": "売上トランザクション",
        "description": "日次の売上データ。店舗別、商品別の売上金額と数量を記録。",
        "tags": ["売上", "トランザクション", "日次"],
        "row_count": 5000000,
    }


@pytest.mark.parametrize(
    ("tag", "names"),
    [
        pytest.param("日次", ["daily_sales_summary", "sales_transactions"], id="of a tag"),
        pytest.param("ﾏｽﾀ", ["products", "stores"], id="in another width"),
        pytest.param(" ", None, id="blank is no tag"),
        pytest.param("없음", [], id="unknown"),
    ],
)
def test_tables_are_filtered_by_tag(tag: str, names: list[str] | None) -> None:
    make_shop()

    assert names_of(tag=tag) == (names_of() if names is None else names)


def test_unknown_tag_is_told_the_known_ones() -> None:
    make_shop()

    assert set(tell_summaries("", "マス夕")["known_tags"]) == {
        *("売上", "トランザクション", "日次", "マスタ")
    }


def test_tags_are_counted_most_used_first() -> None:
    make_shop()

    assert tell_tags("")["tags"][:2] == [
        {"name": "マスタ", "count": 2},
        {"name": "日次", "count": 2},
    ]


def test_long_comment_is_shortened_in_summaries() -> None:
    make_table("logs", source_comment="<b>log</b> " * 10_000)

    [table] = tell_summaries("")["tables"]

    assert table["description"].startswith("<b>log</b>")
    assert len(table["description"]) <= 120


@pytest.mark.parametrize(
    "change", [{"is_hidden": True}, {"gone_at": timezone.now()}], ids=["hidden", "gone"]
)
def test_table_that_is_hidden_or_gone_is_told_nowhere(change: dict[str, Any]) -> None:
    sales = make_shop()
    CatalogTable.objects.filter(name="stores").update(**change)

    told = details_of(sales.name)

    assert "stores" not in names_of()
    assert "stores" not in str(told)
    with pytest.raises(UnknownTableError):
        tell_details("", ["stores"])


def test_gone_columns_and_relations_are_not_told() -> None:
    orders, users = make_table("orders", columns=["id", "user_id"]), make_table("users")
    relate(orders, users, ("user_id", "id"), gone_at=timezone.now())
    CatalogColumn.objects.filter(table=orders, name="id").update(gone_at=timezone.now())

    told = details_of("orders")

    assert [column["name"] for column in told["columns"]] == ["user_id"]
    assert told["related_tables"] == []


def test_incoming_keys_are_told_once_and_without_the_other_sides_words() -> None:
    make_shop()

    assert details_of("stores")["related_tables"] == [
        {
            "name": "sales_transactions",
            "display_name": "売上トランザクション",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.store_id = stores.id",
            "description": "",
        }
    ]


def test_derived_table_says_what_it_was_made_of() -> None:
    make_shop()

    [relation] = details_of("daily_sales_summary")["related_tables"]

    assert relation["name"] == "sales_transactions"
    assert relation["description"] == "This table is derived from it."


def test_join_names_every_column_and_quotes_what_needs_it() -> None:
    order, person = make_table("order", columns=["이름", "b"]), make_table("person")
    relate(order, person, ("이름", "first"), ("b", "Last"))

    [relation] = details_of("order")["related_tables"]

    assert relation["join_condition"] == (
        '"order"."이름" = person.first AND "order".b = person."Last"'
    )


def test_own_join_condition_wins_and_a_key_to_itself_is_told_once() -> None:
    staff = make_table("staff", columns=["id", "boss_id"])
    relate(staff, staff, ("boss_id", "id"), join_condition="s.boss_id = b.id")

    [relation] = details_of("staff")["related_tables"]

    assert relation["join_condition"] == "s.boss_id = b.id"


@pytest.fixture
def twins(make_source: MakeSource) -> DataSource:
    """`orders` in two schemas and, as `public.orders`, in two data sources."""
    source = make_source("sales")
    make_table("orders")
    make_table("orders", schema="old")
    make_table("orders", source=source)
    make_table("items")
    return source


def test_names_are_as_short_as_they_are_clear(twins: DataSource) -> None:
    assert names_of() == ["old.orders", "items", "main_db.public.orders", "sales.public.orders"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        pytest.param("old.orders", "old.orders", id="schema"),
        pytest.param("main_db.old.orders", "old.orders", id="longer than needed"),
        pytest.param("Sales.Public.ORDERS", "sales.public.orders", id="another case"),
        pytest.param("sales.orders", "sales.public.orders", id="source without schema"),
        pytest.param('"sales"."public"."orders"', "sales.public.orders", id="quoted"),
        pytest.param("ITEMS", "items", id="bare in another case"),
    ],
)
def test_table_is_found_by_any_of_its_names(twins: DataSource, asked: str, name: str) -> None:
    assert details_of(asked)["name"] == name
    assert tell_connection("", asked)["table_name"] == name


def test_table_is_found_by_its_display_name() -> None:
    make_shop()

    assert details_of("店舗マスタ")["name"] == "stores"


def test_name_of_several_tables_is_answered_by_their_full_names(twins: DataSource) -> None:
    answer = tell_details("", ["items", "orders"])

    assert [table["name"] for table in answer["tables"]] == ["items"]
    assert answer["not_found"] == [
        {
            "name": "orders",
            "did_you_mean": ["main_db.old.orders", "main_db.public.orders", "sales.public.orders"],
        }
    ]


def test_unknown_table_is_told_near_names_beside_the_others() -> None:
    make_shop()

    answer = tell_details("", ["stores", "sales_transaction", "stores", "zzzz"])

    assert [table["name"] for table in answer["tables"]] == ["stores"]
    assert answer["not_found"] == [
        {"name": "sales_transaction", "did_you_mean": ["sales_transactions"]},
        {"name": "zzzz", "did_you_mean": []},
    ]


@pytest.mark.parametrize("tell", [tell_connection, lambda owner, name: tell_details(owner, [name])])
def test_no_known_table_is_an_error_with_near_names(tell: Callable[[str, str], Any]) -> None:
    make_shop()

    with pytest.raises(UnknownTableError, match=r'no table "storse".*did you mean stores'):
        tell("", "storse")


@pytest.mark.parametrize(
    "name", ["", "a\0b", "\ud800", "." * 5_000, '"', '."', "%s", "a" * 100_000]
)
def test_strange_name_is_unknown(name: str) -> None:
    make_shop()

    with pytest.raises(UnknownTableError):
        tell_details("", [name])


@pytest.mark.parametrize(
    "name",
    ['we"ird', "line\nbreak", "🦀", "표" * 21, "a.b", "public.stores", "c'd; --", "x/connection"],
)
def test_table_of_a_strange_name_is_found_by_the_name_it_is_told_by(name: str) -> None:
    make_shop()
    table = make_table(name, columns=[name])

    told_names = {told["name"] for told in tell_summaries("")["tables"]}
    [mine] = told_names - {"sales_transactions", "stores", "products", "daily_sales_summary"}
    told = details_of(mine)

    assert told["columns"][0]["name"] == table.name
    assert tell_connection("", mine)["connection_code"]["pandas"]


@pytest.fixture
def secret(make_source: MakeSource) -> DataSource:
    """A restricted data source with one table, which a key of an open table leads to."""
    source = make_source("payroll", is_restricted=True)
    hidden = make_table("salaries", source=source, tags=["personnel"], display_name="Löhne")
    relate(make_table("people"), hidden, ("id", "id"))
    return source


def allow_user(source: DataSource, user: User) -> None:
    source.allowed_users.add(user)


def allow_group(source: DataSource, user: User) -> None:
    group = Group.objects.create(name="hr")
    user.groups.add(group)
    source.allowed_groups.add(group)


def make_superuser(_source: DataSource, user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_superuser=True)


@pytest.mark.parametrize("allow", [allow_user, allow_group, make_superuser])
def test_restricted_source_is_told_to_its_users(
    secret: DataSource, allow: Callable[[DataSource, User], None]
) -> None:
    allow(secret, User.objects.create_user("kim"))

    assert names_of("kim") == ["people", "salaries"]
    assert details_of("salaries", "kim")["datasource"] == "payroll"
    assert tell_tags("kim") == {"tags": [{"name": "personnel", "count": 1}]}


@pytest.mark.parametrize("owner", ["", "kim", "left", "nobody"])
def test_restricted_source_is_told_to_nobody_else(secret: DataSource, owner: str) -> None:
    User.objects.create_user("kim")
    secret.allowed_users.add(User.objects.create_user("left", is_active=False))

    told = [
        tell_summaries(owner),
        tell_summaries(owner, "personnel"),
        tell_tags(owner),
        tell_details(owner, ["people", "salarie", "salaries", "Löhne"]),
    ]

    assert names_of(owner) == ["people"]
    for text in map(str, told):
        assert "payroll" not in text
        assert "'did_you_mean': ['" not in text
    assert [told[1]["known_tags"], told[2]["tags"]] == [[], []]
    with pytest.raises(UnknownTableError):
        tell_connection(owner, "salaries")


@pytest.mark.parametrize(
    ("is_masked", "shown"), [(True, MASK), (False, "a@b.c"), (None, MASK)], ids=str
)
def test_samples_are_masked_as_the_rules_say_now(is_masked: bool | None, shown: str) -> None:
    sample = {"columns": ["id", "email"], "rows": [[1, "a@b.c"], [2, None]]}
    table = make_table("users", columns=["id", "email"], sample=sample)
    CatalogColumn.objects.filter(table=table, name="email").update(is_masked=is_masked)

    assert details_of("users")["sample_data"]["rows"] == [[1, shown], [2, None]]


def test_number_of_queries_does_not_depend_on_the_number_of_tables(
    django_assert_num_queries: Any,
) -> None:
    make_shop()
    names = names_of()

    for asked in (names[:1], names):
        with django_assert_num_queries(7):
            tell_details("", asked)
    with django_assert_num_queries(4):
        tell_connection("", names[0])
    with django_assert_num_queries(4):
        tell_summaries("")
    with django_assert_num_queries(5):
        tell_summaries("", "日次")
    with django_assert_num_queries(2):
        tell_tags("")
