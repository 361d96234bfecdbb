"""A pasted query becomes a tool with parameters of the right types."""

import pytest

from catalog.sources.settings import SourceSettings
from core.toolspec import ParameterType, SqlLogic
from toolbuilder.beginning.from_sql import propose_tool

pytestmark = pytest.mark.django_db


def test_types_are_those_of_the_database(sources: SourceSettings) -> None:
    text = (
        "SELECT id FROM stock_level WHERE price > 5 AND region IN ('KR', 'JP')"
        " AND day BETWEEN '2026-01-01' AND '2026-02-01' ORDER BY id LIMIT 10"
    )

    proposal = propose_tool(SqlLogic(text), sources, "kim")

    assert proposal.statement == (
        "SELECT id FROM stock_level WHERE price > :min_price AND region IN (:regions)"
        " AND day BETWEEN :start_day AND :end_day ORDER BY id LIMIT :max_rows"
    )
    assert [(one.name, one.type, one.example) for one in proposal.parameters] == [
        ("min_price", ParameterType.NUMBER, 5),
        ("regions", ParameterType.STRING_LIST, ["KR", "JP"]),
        ("start_day", ParameterType.DATE, "2026-01-01"),
        ("end_day", ParameterType.DATE, "2026-02-01"),
        ("max_rows", ParameterType.INTEGER, 10),
    ]


def test_parameter_without_the_name_of_its_column_is_described_by_it(
    sources: SourceSettings,
) -> None:
    text = "SELECT 1 FROM (SELECT id AS 번호, region FROM stock_level) AS t WHERE 번호 > 5 AND region = 'KR'"

    proposal = propose_tool(SqlLogic(text), sources, "kim")

    assert [(one.name, one.description) for one in proposal.parameters] == [
        ("min_value", "번호"),
        ("region", ""),
    ]
