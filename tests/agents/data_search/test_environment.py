"""What the environment says, and what is wrong in it."""

import json
from pathlib import Path

import pytest

from agents.data_search.environment import DEFAULT_MCP_URL, read_environment
from agents.data_search.faults import SettingError


def test_without_variables_it_is_the_local_server_and_the_recorded_replies(tmp_path: Path) -> None:
    environment = read_environment({}, tmp_path)

    assert environment.mcp_url == DEFAULT_MCP_URL
    assert environment.is_recorded


def test_endpoints_of_the_running_server_are_used(tmp_path: Path) -> None:
    (tmp_path / ".data").mkdir()
    endpoints = {"mcp": "http://127.0.0.1:4000/mcp", "api_key": "secret"}
    (tmp_path / ".data" / "endpoints.json").write_text(json.dumps(endpoints))

    environment = read_environment({}, tmp_path)

    assert (environment.mcp_url, environment.mcp_api_key) == (endpoints["mcp"], "secret")


def test_the_local_key_is_not_sent_to_another_server(tmp_path: Path) -> None:
    (tmp_path / ".data").mkdir()
    (tmp_path / ".data" / "endpoints.json").write_text('{"api_key": "secret"}')

    environment = read_environment({"MCP_URL": "https://tools.example/mcp"}, tmp_path)

    assert environment.mcp_api_key == ""


def test_keys_are_not_shown(tmp_path: Path) -> None:
    environment = read_environment({"MCP_API_KEY": "secret", "LLM_API_KEY": "secret"}, tmp_path)

    assert "secret" not in repr(environment)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"MCP_URL": "localhost:3003"}, "MCP_URL must be an address"),
        ({"MCP_URL": "http://host:port/mcp"}, "MCP_URL must be an address"),
        ({"LLM_BASE_URL": "http://127.0.0.1:1/v1"}, "LLM_MODEL is not set"),
        ({"LLM_MODEL": "m"}, "LLM_BASE_URL is not set"),
        ({"LLM_BACKEND": "other"}, "LLM_BACKEND must be one of openai, litellm"),
        ({"LLM_TIMEOUT_S": "soon"}, "LLM_TIMEOUT_S must be a number of seconds"),
        ({"MCP_TIMEOUT_S": "nan"}, "MCP_TIMEOUT_S must be a number of seconds"),
        ({"AGENT_REFERENCES": "maybe"}, "AGENT_REFERENCES must be one of on, off"),
        ({"AGENT_TOKEN_BUDGET": "many"}, "AGENT_TOKEN_BUDGET must be a number of tokens"),
        ({"AGENT_TIME_BUDGET_S": "0"}, "AGENT_TIME_BUDGET_S must be a number of seconds"),
    ],
    ids=[
        "no-scheme",
        "bad-port",
        "no-model",
        "no-address",
        "backend",
        "not-a-number",
        "nan",
        "references",
        "tokens",
        "time",
    ],
)
def test_a_wrong_variable_is_named(variables: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=words):
        read_environment(variables, tmp_path)


def test_broken_endpoints_are_named(tmp_path: Path) -> None:
    (tmp_path / ".data").mkdir()
    (tmp_path / ".data" / "endpoints.json").write_text("{")

    with pytest.raises(SettingError, match=r"endpoints\.json cannot be read"):
        read_environment({}, tmp_path)
