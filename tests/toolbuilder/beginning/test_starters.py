"""The beginnings of tools: what they offer passes as it is and runs."""

from collections.abc import Iterator
from typing import Any

import pytest

from catalog.models import DataSource
from catalog.sources.settings import read_sources
from config.demo.loading import load_shop, load_tools
from config.services.postgres import EmbeddedPostgres
from core.errors import DefinitionError
from core.execution import CompiledTool
from core.lint import AdviceLevel
from core.toolspec import SqlLogic, ToolSpec
from tests.catalog.rows import Columns, make_table
from tests.factories import make_tool
from toolbuilder.beginning.naming import suggest_name
from toolbuilder.beginning.starters import STARTERS, Starter, find_starter, has_demo_tables
from toolbuilder.beginning.table_starter import make_table_tool
from toolbuilder.beginning.views import create_draft
from toolbuilder.dashboard.progress import needs_start
from toolbuilder.editing.advice import advise_draft
from toolbuilder.editing.drafts import choose_free_name, open_draft, read_draft
from toolbuilder.editing.trial import Trial, TrialCaller, run_trial
from toolbuilder.models import ToolVersion, VersionOrigin
from tools.definitions import ToolDocument
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db
EACH = pytest.mark.parametrize("starter", [pytest.param(one, id=one.id) for one in STARTERS])


def to_spec(snapshot: ToolDocument) -> ToolSpec:
    return snapshot.to_spec(read_sources())


def run(snapshot: ToolDocument, values: dict[str, Any]) -> Trial:
    return run_trial(to_spec(snapshot), values, read_sources(), TrialCaller(username="kim"))


@pytest.fixture
def shop(embedded_postgres: EmbeddedPostgres) -> Iterator[None]:
    """The demo shop in the default data source."""
    load_shop(embedded_postgres.dsn("demo", "demo_owner"))
    yield
    shared_loop().close()


def test_starters_are_served_as_they_are_and_leave_nothing_to_advise() -> None:
    load_tools()
    specs = [to_spec(starter.tool) for starter in STARTERS]

    for spec in specs:
        CompiledTool(spec)

    assert {spec.name: [one.text for one in advise_draft(spec)] for spec in specs} == {
        spec.name: [] for spec in specs
    }


@EACH
@pytest.mark.usefixtures("shop")
def test_starter_answers_on_the_demo_shop(starter: Starter) -> None:
    trial = run(starter.tool, starter.test_values)

    assert trial.error is None
    assert trial.rows or trial.structured


def test_shop_is_known_by_all_tables_of_the_starters() -> None:
    names = sorted({name for starter in STARTERS for name in starter.tables})
    tables = [make_table(name) for name in names]

    is_there = has_demo_tables()
    tables[0].delete()

    assert (is_there, has_demo_tables()) == (True, False)


SHOP_COLUMNS: dict[str, Columns] = {
    "products": {"id": {"type_name": "integer", "is_primary_key": True},
                 "product_name": {"type_name": "character varying(120)", "description": "Name. In Japanese."},
                 "price": {"type_name": "numeric(10,2)"}},
    "orders": {"order_id": {"type_name": "bigint", "is_primary_key": True},
               "public_id": {"type_name": "uuid"},
               "contact_email": {"type_name": "character varying(255)"},
               "status": {"type_name": "order_status"}},
    "daily_sales_summary": {"summary_date": {"type_name": "date"}, "total_amount": {"type_name": "numeric"}},
}  # fmt: skip


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("name", SHOP_COLUMNS)
def test_tool_of_a_table_runs_at_once_and_leaves_no_warning(name: str) -> None:
    tool = make_table_tool(make_table(name, SHOP_COLUMNS[name], description="What the shop has."))

    trial = run(tool, {"max_rows": 3})

    assert (trial.error, len(trial.rows)) == (None, 3)
    levels = {one.level for one in advise_draft(to_spec(tool))}
    assert levels <= {AdviceLevel.SUGGESTION}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("values", "count"),
    [
        ({"id": 501}, 1),
        ({"product_name_part": "茶"}, 12),
        ({"id": 501, "product_name_part": "x"}, 0),
    ],
    ids=["key", "text", "both"],
)
def test_tool_of_a_table_finds_by_key_and_by_text(values: dict[str, Any], count: int) -> None:
    tool = make_table_tool(make_table("products", SHOP_COLUMNS["products"]))

    assert len(run(tool, values).rows) == count


def test_tool_of_a_table_leaves_out_personal_data_and_large_values() -> None:
    columns: Columns = {
        "user_id": {"type_name": "uuid", "is_primary_key": True},
        "email": {"type_name": "text"},
        "photo": {"type_name": "bytea"},
        "note": {"type_name": "text", "is_masked": True},
        "max_rows": {"type_name": "text"},
    }

    tool = make_table_tool(make_table("Order Lines", columns, schema="sales"))

    assert tool.name == "list_order_lines"
    assert tool.definition == (
        'SELECT user_id, max_rows\nFROM sales."Order Lines"\nWHERE TRUE\n'
        "  [[ AND user_id = CAST(:user_id AS uuid) ]]\n"
        "  [[ AND max_rows ILIKE '%' || :text_part || '%' ]]\n"
        "ORDER BY user_id\nLIMIT :max_rows"
    )


def test_tool_of_a_table_of_sqlite_has_its_dialect() -> None:
    source = DataSource.objects.create(name="local", engine="sqlite", path="/data/shop.db")
    columns: Columns = {
        "id": {"type_name": "INTEGER", "is_primary_key": True},
        "name": {"type_name": "TEXT"},
    }

    tool = make_table_tool(make_table("items", columns, schema="", source=source))

    CompiledTool(to_spec(tool))
    assert tool.data_source == "local"
    assert "name LIKE '%' || :name_part || '%'" in tool.definition


def test_table_without_columns_makes_no_tool() -> None:
    with pytest.raises(DefinitionError, match="knows no columns"):
        make_table_tool(make_table("empty"))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param("SELECT region, sum(x) FROM orders GROUP BY region", "orders_by_region", id="grouped"),
        pytest.param("SELECT 1 FROM public.orders o GROUP BY o.region, o.x", "orders_by_region", id="with alias"),
        pytest.param("SELECT 1 FROM orders GROUP BY date(at)", "orders", id="grouped by a call"),
        pytest.param("SELECT 1 FROM orders WHERE status = 'x'", "orders_by_status", id="compared"),
        pytest.param("WITH a AS (SELECT 1 FROM orders) SELECT * FROM a", "orders", id="common table expression"),
        pytest.param('SELECT 1 FROM "주문"', "query", id="not Latin"),
        pytest.param("SELECT 1", "query", id="no table"),
        pytest.param("SELECT 1 FROM taken", "taken_2", id="taken"),
        pytest.param("SELECT 1 FROM " + "t" * 200, "t" * 32, id="long"),
        pytest.param("((", "query", id="nonsense"),
    ],
)  # fmt: skip
def test_name_is_suggested_by_table_and_column(statement: str, expected: str) -> None:
    make_tool(name="taken")

    assert suggest_name(SqlLogic(statement)) == expected


def test_free_name_is_none_of_a_tool_a_draft_or_a_built_in_tool() -> None:
    make_tool(name="sales")
    open_draft(None, "kim", start=ToolDocument(name="sales_2"))

    assert choose_free_name("sales") == "sales_3"
    assert choose_free_name("get_tags") in {"get_tags", "get_tags_2"}
    assert len(choose_free_name("x" * 90)) <= 64


def test_draft_begins_with_its_test_values() -> None:
    starter = find_starter("lookup")
    assert starter is not None

    document = read_draft(create_draft(starter.tool, "kim", starter.test_values))

    assert document.tool == starter.tool
    assert document.test_values == {"sku": "SKU-00501"}


@pytest.mark.parametrize(
    ("origin", "is_needed"),
    [
        (VersionOrigin.LOADED, True),
        (VersionOrigin.IMPORTED, True),
        (VersionOrigin.PUBLISHED, False),
    ],
)
def test_start_is_needed_until_somebody_has_published(
    origin: str, is_needed: bool, django_assert_num_queries: Any
) -> None:
    ToolVersion.objects.create(tool_name="a", number=1, document={}, content_hash="", origin=origin)

    with django_assert_num_queries(1):
        assert needs_start() is is_needed
