"""Statements without end are stopped at their deadline, and others go on being served."""

import pytest

from core.errors import ToolboxError
from tests.hostile.bombs import BOMBS
from tests.hostile.conftest import Sources, read_session
from tests.hostile.running import LONG_MS, limit_for, make_query, serve

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("kept_world")]

STOPPED = {name: (sql, text) for name, (sql, text) in BOMBS.items() if text is not None}
CAPPED = {name: sql for name, (sql, text) in BOMBS.items() if text is None}


@pytest.mark.parametrize(("sql", "text"), STOPPED.values(), ids=STOPPED)
async def test_bomb_is_stopped(sources: Sources, sql: str, text: str) -> None:
    _, *before = await read_session(sources.reader)

    with pytest.raises(ToolboxError, match=text):
        await serve(sources.reader, make_query(sql, timeout_ms=limit_for(text)))

    # On the same connection, or on a new one where the server does not look in time.
    _, *after = await read_session(sources.reader)
    assert after == before


@pytest.mark.parametrize("sql", CAPPED.values(), ids=CAPPED)
async def test_large_answer_is_capped(sources: Sources, sql: str) -> None:
    result = await serve(sources.reader, make_query(sql, timeout_ms=LONG_MS))

    assert 0 < len(result.rows) <= 100
    assert max(len(str(cell)) for row in result.rows for cell in row) <= 8_192
