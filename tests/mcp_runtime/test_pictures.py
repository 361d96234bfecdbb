"""Agents get the chart of a tool as a picture, where its people chose that."""

import base64
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.factories import make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.requests import OLD, Case
from tests.mcp_runtime.lane.ways import both_ways

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = "SELECT * FROM (VALUES ('서울', 3), ('Busan', 2)) AS sold(city, n)"
CHART = {"kind": "bar", "across": "city", "height": "n", "colour": "", "largest_first": True}


async def test_picture_follows_the_text_both_ways_and_in_both_eras(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_tool)(ROWS, name="multiply", chart=CHART | {"for_agents": True})

    async with both_ways(serve, settings) as ways:
        for era in ("2026-07-28", OLD):
            for way in ways:
                answer = await way.ask(Case("picture", era=era, params={"arguments": {}}))
                text, image = answer.json["result"]["content"]

                assert text["type"] == "text"
                assert (image["type"], image["mimeType"]) == ("image", "image/png")
                assert base64.b64decode(image["data"]).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "chart",
    [
        pytest.param(CHART, id="off"),
        pytest.param(CHART | {"for_agents": True, "height": "gone"}, id="nothing to draw"),
        pytest.param({"for_agents": True, "kind": 7}, id="no chart"),
    ],
)
async def test_answer_without_a_picture_is_as_before(serve: Serve, chart: dict[str, Any]) -> None:
    await sync_to_async(make_tool)(ROWS, name="sold", chart=chart)

    async with serve() as served:
        answer = await served.call("sold")

    assert [block.type for block in answer.content] == ["text"]
    assert answer.structured_content["row_count"] == 2
