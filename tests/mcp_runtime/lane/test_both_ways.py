"""Each request goes through the direct lane and through FastMCP alone; the answers are the same."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.factories import make_expression
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.raw import RawAnswer
from tests.mcp_runtime.lane.requests import CASES, OLD, Case
from tests.mcp_runtime.lane.ways import both_ways

pytestmark = pytest.mark.django_db(transaction=True)


def shown(answer: RawAnswer) -> object:
    """What a client can tell, but for the time it took."""
    body = answer.json
    structured = (
        body.get("result", {}).get("structuredContent", {}) if isinstance(body, dict) else {}
    )
    structured.pop("elapsed_ms", None)
    return answer.status, body


async def test_every_request_is_answered_alike(
    serve: Serve, settings: Any, subtests: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, through):
        for case in CASES:
            with subtests.test(case.name):
                for way in (direct, through):
                    # The key is known for two seconds.
                    await way.ask(Case("plain"))
                before = len(direct.taken)
                # The third time, the lane knows the head.
                ways = (direct, direct, direct, through)
                first, *others = [await way.ask(case) for way in ways]

                assert all(shown(answer) == shown(first) for answer in others)
                assert len(direct.taken) - before == (3 if case.is_direct else 0)
                if case.era != OLD:
                    assert (
                        len({answer.headers.get("content-type") for answer in (first, *others)})
                        == 1
                    )
    assert "could not be answered directly" not in caplog.text
