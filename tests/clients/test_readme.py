"""What README.md tells a reader to type works as it stands there."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import PACKAGES, run
from tests.mcp_runtime.conftest import Served, execute_elsewhere
from tests.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

README = Path(__file__).parents[2] / "README.md"
ADDRESS = "http://127.0.0.1:3003/mcp"


def block(language: str, after: str) -> str:
    """The first fenced block in `language` below the heading `after`."""
    text = README.read_text().partition(f"\n## {after}\n")[2]
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no {language} block below {after!r}"
    return found[1]


@pytest.fixture
def home(demo: Served, tmp_path: Path) -> Path:
    """A folder as `make run` leaves it, with the address and key of the demo."""
    endpoints = {"mcp": demo.url, "api_key": demo.token}
    (tmp_path / ".data").mkdir()
    (tmp_path / ".data/endpoints.json").write_text(json.dumps(endpoints))
    return tmp_path


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
async def test_curl_command_calls_a_tool(demo: Served, home: Path) -> None:
    shown = block("console", after="Call a tool")
    assert ADDRESS in shown
    script = re.sub(r"^\$ ", "", shown, flags=re.MULTILINE).replace(ADDRESS, demo.url)

    finished = await run("bash", "-c", script, cwd=home)

    assert finished.code == 0, finished.errors
    assert json.loads(finished.output)["result"]["structuredContent"]["rows"] == [["hong", 50]]


@pytest.mark.slow
async def test_python_program_calls_a_tool(home: Path) -> None:
    program = block("python", after="Call a tool")

    finished = await run(sys.executable, "-c", program, cwd=home)

    assert finished.code == 0, finished.errors
    assert finished.output.strip() == "15"


@pytest.mark.slow
async def test_inspector_command_lists_the_tools(node: Path, demo: Served, tmp_path: Path) -> None:
    found = re.search(
        r"^\| MCP Inspector \| `npx @modelcontextprotocol/(.+)` \|$",
        README.read_text(),
        re.MULTILINE,
    )
    assert found
    package, *options = shlex.split(found[1].replace(ADDRESS, demo.url).replace("KEY", demo.token))

    launcher = PACKAGES / package / "clients/launcher/build/index.js"
    finished = await run(node, launcher, *options, cwd=tmp_path)

    assert finished.code == 0, finished.errors
    assert "multiply_numbers" in {tool["name"] for tool in json.loads(finished.output)["tools"]}


async def test_rows_become_a_tool(demo: Served) -> None:
    execute_elsewhere(block("sql", after="Make a tool"))
    await eventually(lambda: "stores_in_region" in demo.runtime.store.snapshot.tools)

    result = await demo.call("stores_in_region", region="KR")

    assert not result.is_error
    assert result.structured_content["row_count"] > 0
