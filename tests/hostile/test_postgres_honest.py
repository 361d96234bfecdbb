"""What only looks dangerous is served, with the right rows."""

import pytest

from gateways.postgres.source import PostgresSource
from tests.hostile.honest_queries import REPORTS
from tests.hostile.honest_syntax import SYNTAX
from tests.hostile.running import Honest, make_query, serve
from tests.hostile.test_postgres_hostile import ONLY_READER

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("unharmed")]

HONEST = REPORTS | SYNTAX


@ONLY_READER
@pytest.mark.parametrize("honest", HONEST.values(), ids=HONEST)
async def test_honest_query_gives_its_rows(source: PostgresSource, honest: Honest) -> None:
    result = await serve(source, make_query(honest.sql, honest.arguments))

    assert list(map(list, result.rows)) == honest.rows
    assert not result.truncated
