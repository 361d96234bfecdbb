"""The ready tools are correct, run on the demo shop and show every feature of a definition."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from catalog.sources.settings import SourceSettings
from config.demo.loading import load_tools, read_tools
from config.services.postgres import EmbeddedPostgres
from core.execution import CompiledTool
from core.results import Answer
from core.toolspec import ParameterType, Presence, ResultFormat
from gateways.postgres.settings import PostgresSettings
from tools.registry import read_served_rows
from tools.sources import Sources

ENTRIES = {entry["name"]: entry for entry in read_tools()}
SQL_TOOLS = [name for name, entry in ENTRIES.items() if entry["tool_type"] == "SQL"]
EXPRESSIONS = {
    "multiply_numbers": 15,
    "calculate_discount": 2805,
    "add_up_bill": 65.67,
    "count_days": 89,
    "write_greeting": "홍길동 고객님, 안녕하세요.",
    "summarize_numbers": {
        "count": 3,
        "sum": 4500,
        "mean": 1500,
        "smallest": 800,
        "largest": 2200,
        "above_threshold": 2,
    },
    "plan_instalments": {
        "total": 100000,
        "instalments": [
            {"number": 1, "due": "2026-01-31", "amount": 33334},
            {"number": 2, "due": "2026-02-28", "amount": 33333},
            {"number": 3, "due": "2026-03-31", "amount": 33333},
        ],
    },
}
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def tools(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> dict[str, CompiledTool]:
    """Every ready tool as it is served, read once; no row of theirs stays."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_tools()
        specs = read_served_rows().specs
        transaction.set_rollback(True)
    return {spec.name: CompiledTool(spec) for spec in specs}


@pytest.fixture
async def sources(shop: EmbeddedPostgres) -> AsyncIterator[Sources]:
    """The demo database as tools reach it."""
    settings = PostgresSettings.from_dsn(shop.dsn("demo", "demo_reader"))
    sources = Sources()
    sources.update(SourceSettings(usable={None: settings}))
    yield sources
    await sources.close()


def example_arguments(name: str) -> dict[str, Any]:
    return {p["param_name"]: p["example"] for p in ENTRIES[name]["params"]}


async def call(tool: CompiledTool, arguments: dict[str, Any], sources: Sources) -> Answer:
    return await tool.run(tool.validate(arguments), sources)


def records(answer: Answer) -> list[dict[str, Any]]:
    columns = answer.structured["columns"]
    return [dict(zip(columns, row, strict=True)) for row in answer.structured["rows"]]


@pytest.mark.parametrize("name", SQL_TOOLS)
async def test_database_accepts_the_statement(
    tools: dict[str, CompiledTool], sources: Sources, name: str
) -> None:
    await tools[name].check(sources)


@pytest.mark.parametrize("name", SQL_TOOLS)
async def test_statement_gives_rows_for_its_examples(
    tools: dict[str, CompiledTool], sources: Sources, name: str
) -> None:
    answer = await call(tools[name], example_arguments(name), sources)

    assert answer.row_count
    assert not answer.truncated


@pytest.mark.parametrize("name", SQL_TOOLS)
async def test_statement_gives_rows_without_its_optional_arguments(
    tools: dict[str, CompiledTool], sources: Sources, name: str
) -> None:
    parameters = tools[name].spec.parameters
    required = {p.name: p.example for p in parameters if p.presence is Presence.REQUIRED}

    answer = await call(tools[name], required, sources)

    assert answer.row_count


def test_every_expression_has_its_values_here() -> None:
    assert set(EXPRESSIONS) == ENTRIES.keys() - set(SQL_TOOLS)


@pytest.mark.parametrize("name", EXPRESSIONS)
async def test_expression_gives_its_value_for_its_examples(
    tools: dict[str, CompiledTool], sources: Sources, name: str
) -> None:
    answer = await call(tools[name], example_arguments(name), sources)

    assert answer.structured == {"result": EXPRESSIONS[name]}


@pytest.mark.parametrize(
    ("edge", "value"),
    [
        pytest.param(
            ("calculate_discount", {"unit_price": 19.99, "discount_percent": 0}),
            19.99,
            id="one piece",
        ),
        pytest.param(
            ("count_days", {"start_date": "2026-03-01", "end_date": "2026-02-28"}),
            -1,
            id="backwards",
        ),
        pytest.param(
            ("write_greeting", {"name": " 佐藤 ", "language": "ja"}),
            "佐藤 様、いつもありがとうございます。",
            id="Japanese",
        ),
        pytest.param(
            ("write_greeting", {"name": "jane smith", "language": "en"}),
            "Dear Jane Smith,",
            id="English",
        ),
        pytest.param(
            ("summarize_numbers", {"values": []}),
            {"count": 0, "sum": 0}
            | dict.fromkeys(["mean", "smallest", "largest", "above_threshold"]),
            id="empty list",
        ),
    ],
)
async def test_expression_gives_its_value_at_the_edges(
    tools: dict[str, CompiledTool],
    sources: Sources,
    edge: tuple[str, dict[str, Any]],
    value: object,
) -> None:
    name, arguments = edge

    answer = await call(tools[name], arguments, sources)

    assert answer.structured == {"result": value}


async def test_limit_of_hong_is_the_answer_of_the_documents(
    tools: dict[str, CompiledTool], sources: Sources
) -> None:
    answer = await call(tools["get_user_daily_limit"], {"user_name": "hong"}, sources)

    assert records(answer) == [{"user_nm": "hong", "max_count": 50}]


async def test_top_products_are_the_asked_number_in_each_region(
    tools: dict[str, CompiledTool], sources: Sources
) -> None:
    answer = await call(tools["top_products"], example_arguments("top_products"), sources)

    assert [(row["region"], row["sales_rank"]) for row in records(answer)] == [
        (region, rank) for region in ("JP", "KR", "US") for rank in (1, 2, 3)
    ]


async def test_trend_knows_the_days_before_the_period(
    tools: dict[str, CompiledTool], sources: Sources
) -> None:
    answer = await call(tools["daily_sales_trend"], example_arguments("daily_sales_trend"), sources)

    rows = records(answer)
    assert len(rows) == 90
    assert rows[0]["change_from_week_before"] is not None


@pytest.mark.parametrize("wildcard", ["%%", "___", "\\\\"])
async def test_searched_text_is_no_pattern(
    tools: dict[str, CompiledTool], sources: Sources, wildcard: str
) -> None:
    answer = await call(tools["find_users"], {"text": wildcard}, sources)

    assert answer.row_count == 0


def shown_parameters() -> list[dict[str, Any]]:
    return [parameter for entry in ENTRIES.values() for parameter in entry["params"]]


@pytest.mark.parametrize("parameter_type", ParameterType)
def test_every_parameter_type_is_shown(parameter_type: ParameterType) -> None:
    assert parameter_type in {parameter["param_type"] for parameter in shown_parameters()}


@pytest.mark.parametrize("result_format", ResultFormat)
def test_every_result_format_is_shown(result_format: ResultFormat) -> None:
    assert result_format in {entry["result_format"] for entry in ENTRIES.values()}


@pytest.mark.parametrize("presence", Presence)
def test_every_presence_is_shown(tools: dict[str, CompiledTool], presence: Presence) -> None:
    shown = {p.presence for tool in tools.values() for p in tool.spec.parameters}

    assert presence in shown


@pytest.mark.parametrize("key", ["minimum", "maximum", "pattern", "allowed_values"])
def test_every_kind_of_bound_is_shown(key: str) -> None:
    assert any(parameter[key] for parameter in shown_parameters())


@pytest.mark.parametrize("name", ENTRIES)
def test_agents_and_people_are_told_enough(name: str) -> None:
    entry = ENTRIES[name]

    assert all(entry[key] for key in ("title", "description_agent", "description_user", "tags"))
    assert all(p["description"] and p["example"] is not None for p in entry["params"])
    assert entry["annotations"]["readOnlyHint"] is True


def test_tools_of_the_documents_are_word_for_word() -> None:
    limit, multiply = ENTRIES["get_user_daily_limit"], ENTRIES["multiply_numbers"]

    assert limit["description_agent"] == "특정 사용자의 일일 제한량을 조회합니다."
    assert limit["definition"] == (
        "SELECT u.user_nm, l.max_count\nFROM h_user u\n"
        "JOIN h_mcp_tool_limit l ON u.uid = l.target_id\n"
        "WHERE u.user_nm = :user_name AND l.target_type = 'USER'"
    )
    assert multiply["description_agent"] == "두 숫자를 입력받아 곱한 결과를 반환합니다."
    assert multiply["definition"] == "num1 * num2"
