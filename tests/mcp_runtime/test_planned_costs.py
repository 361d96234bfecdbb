"""A call whose query is planned over the ceiling is refused before it runs, and its agent is told what to do."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.factories import make_tool
from tests.mcp_runtime.conftest import Serve

SERIES = "SELECT count(*) AS n FROM generate_series(1, :n)"
PARAMETERS: list[dict[str, Any]] = [{"param_name": "n", "param_type": "INTEGER"}]
RESTS: dict[str, Any] = {"breaker_errors": 1, "breaker_minutes": 5}


@pytest.fixture(autouse=True)
def _checked_source(settings: Any) -> None:
    """The default database looks at the cost of each call."""
    settings.DATA_SOURCE_CHECKS_COST_AT_CALL = True


async def test_agent_is_told_both_figures_and_the_tool_does_not_rest(serve: Serve) -> None:
    columns = {"name": "series", "parameters": PARAMETERS, "plan_cost_limit": 100, **RESTS}
    await sync_to_async(make_tool)(SERIES, **columns)

    async with serve() as served:
        refused = [await served.call("series", n=1_000_000) for _ in range(2)]
        answered = await served.call("series", n=5)

    assert [answer.is_error for answer in refused] == [True, True]
    assert "at most 100 is allowed; narrow it" in refused[1].content[0].text
    assert answered.structured_content["rows"] == [[5]]


async def test_ceiling_of_the_default_database_is_a_setting(serve: Serve, settings: Any) -> None:
    settings.DATA_SOURCE_PLAN_COST_LIMIT = 50
    await sync_to_async(make_tool)(SERIES, name="series", parameters=PARAMETERS)

    async with serve() as served:
        answer = await served.call("series", n=1_000_000)

    assert "at most 50 is allowed" in answer.content[0].text
