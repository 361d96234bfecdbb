"""Servers that are away, refuse or keep silent: one sentence, no traceback, no rest."""

import asyncio
import time
from typing import Any

import psycopg
import pytest

from agents.data_search.constants import RUN_ERROR
from tests.agents.conftest import Installation, free_ports
from tests.agents.demo_llm.variants import Variant
from tests.agents.e2e.conftest import MakeEnvironment
from tests.agents.e2e.runs import open_session, query

QUESTION = "How many orders are in each status?"
LIMIT_S = 240
LAST_OUTCOME = (
    "SELECT outcome FROM h_call_record WHERE tool_name = 'execute_postgres_query'"
    " ORDER BY at DESC LIMIT 1"
)
# Other roles' queries are hidden from the owner of the data; their locks are not.
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass"


def nowhere() -> str:
    """An address at which nobody listens."""
    return f"http://127.0.0.1:{free_ports(1)[0]}"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param(lambda: {"mcp_url": f"{nowhere()}/mcp"}, "tool server", id="server-down"),
        pytest.param(lambda: {"mcp_api_key": "mcp_wrong"}, "MCP_API_KEY", id="key-wrong"),
        pytest.param(lambda: {"llm_base_url": f"{nowhere()}/v1"}, "LLM_BASE_URL", id="model-down"),
        pytest.param(
            lambda: {"model": Variant.NEVER_ANSWERS, "llm_timeout_s": 0.5},
            "LLM_TIMEOUT_S",
            id="model-never-answers",
        ),
        pytest.param(lambda: {"model": "gpt-9"}, "LLM_MODEL", id="model-unknown"),
    ],
)
async def test_fault_is_told_in_one_sentence(
    environment: MakeEnvironment, settings: Any, said: str
) -> None:
    async with open_session(environment(**settings())) as session:
        outcome = await session.ask(QUESTION)

    assert outcome.state.get(RUN_ERROR)
    assert said in outcome.text
    assert len(outcome.text.splitlines()) == 1
    assert "127.0.0.1" not in outcome.text


async def test_cancelled_run_leaves_nothing_active(
    installation: Installation, environment: MakeEnvironment
) -> None:
    """The lock keeps the query waiting, as long as the run is not cancelled."""
    with psycopg.connect(installation.demo_dsn) as blocker:
        async with open_session(environment()) as session:
            events = session.events(QUESTION)
            async for event in events:
                if event.author == "sql_generator":
                    break
            blocker.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
            rest = asyncio.create_task(exhaust(events))
            await wait_for_queries(installation.demo_dsn, 1)

            rest.cancel()
            with pytest.raises(asyncio.CancelledError):
                await rest

        await wait_for_queries(installation.demo_dsn, 0)
    # The server would give it up by itself too, but would not call that cancelled.
    await wait_for(installation.database_url, LAST_OUTCOME, "cancelled")
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not others


async def exhaust(events: Any) -> None:
    async for _ in events:
        pass


async def wait_for_queries(dsn: str, count: int) -> None:
    """Wait until so many queries wait for the table."""
    await wait_for(dsn, WAITING, f"{count}.00")


async def wait_for(dsn: str, sql: str, expected: str) -> None:
    """Wait until the only cell of the answer is the expected one."""
    deadline = time.monotonic() + LIMIT_S
    while query(dsn, sql) != [(expected,)]:
        assert time.monotonic() < deadline, f"never {expected}: {sql}"
        await asyncio.sleep(0.05)
