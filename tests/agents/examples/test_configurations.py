"""The configurations of docs/clients.md and README.md are readable, and those that the browser shows."""

import json
import re
import subprocess
import tomllib
from typing import Any

import pytest

from tests.agents.conftest import PROJECT, SERVER_PYTHON

PAGE = (PROJECT / "docs/clients.md").read_text()
README = (PROJECT / "README.md").read_text()
BLOCKS = re.findall(r"^```(json|toml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# Of the server's own Python, whose packages the agent's does not have.
SHOWN_BY_BROWSER = """
import json
from pathlib import Path
from access.connecting import describe_connections
from config.services.options import Options
url = Options(Path(".data")).mcp_url
print(json.dumps({"url": url, **{one.id: one.text for one in describe_connections(url, "KEY")}}))
"""


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """What the browser tells of each client, by its id, and the address under `url`."""
    command = [str(SERVER_PYTHON), "-c", SHOWN_BY_BROWSER]
    written = subprocess.run(command, cwd=PROJECT, capture_output=True, check=True, timeout=400)
    read: dict[str, str] = json.loads(written.stdout)
    return read


def servers_of(language: str, text: str) -> dict[str, Any]:
    """The servers of a configuration, under whichever name its client has for them."""
    read = json.loads(text) if language == "json" else tomllib.loads(text)
    [servers] = [read[key] for key in ("mcpServers", "servers", "mcp_servers") if key in read]
    return dict(servers)


@pytest.mark.parametrize(("language", "text"), BLOCKS, ids=range(1, len(BLOCKS) + 1))
def test_configuration_is_readable_and_names_the_address(
    shown: dict[str, str], language: str, text: str
) -> None:
    server = servers_of(language, text)["toolbuilder"]

    assert shown["url"] in (server.get("url"), *server.get("args", ()))


@pytest.mark.parametrize("client", ["claude-code", "claude-desktop", "cursor", "vs-code"])
def test_page_says_what_the_browser_shows(shown: dict[str, str], client: str) -> None:
    assert f"{shown[client]}\n```" in PAGE


def test_page_links_every_program() -> None:
    programs = {path.name for path in (PROJECT / "examples").glob("*.py")}

    assert {name for name in programs if f"(../examples/{name})" in PAGE} == programs


@pytest.mark.parametrize("client", ["claude-desktop", "cursor", "vs-code"])
def test_readme_says_what_the_browser_shows(shown: dict[str, str], client: str) -> None:
    lines = re.findall(r"^\| [^|]+\.json` \| `(\{.+\})` \|$", README, re.MULTILINE)

    assert json.loads(shown[client]) in [json.loads(line) for line in lines]
