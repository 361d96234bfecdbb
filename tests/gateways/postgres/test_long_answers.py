"""Answers of many rows that come at once, and callers that leave while theirs waits for its step."""

import asyncio
import gc
from contextlib import suppress

import pytest

from core.errors import DataSourceError
from core.toolspec import ParameterType
from gateways.postgres.exchange import WireExchange
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import make_query

SQL = "SELECT n, :own FROM generate_series(1, :most) AS n"
CALLERS = 12


@pytest.mark.parametrize("row_count", [900, 2_500], ids=["whole", "chunks"])
async def test_callers_that_leave_take_nothing_with_them(
    settings: PostgresSettings, row_count: int
) -> None:
    async with PostgresSource(settings) as source:

        async def ask(own: int) -> bool:
            kind, row_limit = ParameterType.INTEGER, row_count + 99
            query = make_query(SQL, row_limit=row_limit, own=(kind, own), most=(kind, row_count))
            result = await source.run(query)
            return result.rows == [(n, own) for n in range(1, row_count + 1)]

        for steps in range(0, 60, 6):
            calls = [asyncio.create_task(ask(number)) for number in range(CALLERS)]
            for _ in range(steps):
                await asyncio.sleep(0)
            leaving = calls[steps % 9 :: 3]
            for call in leaving:
                call.cancel()
            endings = await asyncio.gather(*calls, return_exceptions=True)
            stayed = [end for call, end in zip(calls, endings, strict=True) if call not in leaving]
            assert stayed == [True] * (CALLERS - len(leaving))

        assert await asyncio.gather(*map(ask, range(CALLERS))) == [True] * CALLERS


@pytest.mark.parametrize("sql", [SQL, "SELECT 1 / (:own - :most)"], ids=["rows", "error"])
async def test_connection_holds_nothing_of_its_last_answer(
    settings: PostgresSettings, sql: str
) -> None:
    kind = ParameterType.INTEGER
    async with PostgresSource(settings) as source:
        with suppress(DataSourceError):
            await source.run(make_query(sql, own=(kind, 900), most=(kind, 900)))
        gc.collect()

        # `isinstance` would evaluate lazy objects that other tests have left behind.
        held = [each for each in gc.get_objects() if type(each) is WireExchange]

    assert [each.results for each in held if each.results] == []
