"""The MCP Inspector's command line accepts the demo tools and calls them."""

import json
from pathlib import Path
from typing import Any

import pytest

from config.demo.loading import read_tools
from tests.clients.conftest import PACKAGES, Finished, run
from tests.mcp_runtime.conftest import Served

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

INSPECTOR = PACKAGES / "inspector/clients/launcher/build/index.js"
ERAS = ["legacy", "modern"]
# The Inspector's exit status of an answer with isError.
TOOL_ERROR = 5


class Inspector:
    """The Inspector's command line in one protocol era, with a key, in a folder of its own."""

    def __init__(self, node: Path, served: Served, folder: Path, era: str) -> None:
        self._start: tuple[str | Path, ...] = (
            node,
            INSPECTOR,
            "--cli",
            served.url,
            "--transport",
            "http",
        )
        self._key = ("--protocol-era", era, "--header", f"Authorization: Bearer {served.token}")
        self._folder = folder

    async def ask(self, method: str, *options: str) -> Finished:
        command = (*self._start, "--method", method, *options, *self._key)
        return await run(*command, cwd=self._folder)

    async def call(self, name: str, *arguments: str) -> Finished:
        return await self.ask("tools/call", "--tool-name", name, "--tool-arg", *arguments)


@pytest.fixture(params=ERAS)
def inspector(
    node: Path, demo: Served, tmp_path: Path, request: pytest.FixtureRequest
) -> Inspector:
    return Inspector(node, demo, tmp_path, request.param)


def answer(finished: Finished) -> Any:
    assert finished.code == 0, finished.errors
    return json.loads(finished.output)


async def test_every_schema_is_portable(inspector: Inspector) -> None:
    listed = answer(await inspector.ask("tools/list", "--strict"))

    names = {tool["name"] for tool in listed["tools"]}
    assert names > {tool["name"] for tool in read_tools()}
    assert "execute_postgres_query" in names


async def test_query_tool_answers_with_its_row(inspector: Inspector) -> None:
    result = answer(await inspector.call("get_user_daily_limit", "user_name=hong"))

    assert result["structuredContent"]["columns"] == ["user_nm", "max_count"]
    assert result["structuredContent"]["rows"] == [["hong", 50]]


async def test_expression_tool_answers_with_its_value(inspector: Inspector) -> None:
    result = answer(await inspector.call("multiply_numbers", "num1=5", "num2=3"))

    assert result["structuredContent"] == {"result": 15}
    assert result["content"] == [{"type": "text", "text": "15"}]


async def test_missing_argument_is_a_tool_error(inspector: Inspector) -> None:
    finished = await inspector.call("multiply_numbers", "num1=5")

    assert finished.code == TOOL_ERROR
    assert json.loads(finished.output)["content"][0]["text"] == (
        "Invalid arguments for multiply_numbers:\n- num2: required"
    )
