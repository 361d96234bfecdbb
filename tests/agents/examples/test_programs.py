"""The programs of examples/ do what docs/clients.md says of them."""

import json

import httpx
import pytest

from tests.agents.examples.conftest import Run
from tests.agents.examples.scripted_model import TOOL, WITHOUT_TOOL

QUESTION = "hong 사용자의 일일 제한량은?"


@pytest.mark.parametrize("name", ["ask_with_langchain.py", "ask_with_openai_agents.py"])
def test_agent_answers_with_what_the_tool_says(run: Run, name: str) -> None:
    finished = run(name, QUESTION)

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == "hong may call 50 times a day.\n"


def test_sdk_program_calls_a_tool(run: Run) -> None:
    finished = run("call_with_mcp_sdk.py", TOOL, '{"user_name": "hong"}')

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == [{"user_nm": "hong", "max_count": 50}]


def test_sdk_program_lists_the_tools_with_their_first_lines(run: Run) -> None:
    finished = run("call_with_mcp_sdk.py")

    assert finished.returncode == 0, finished.stderr
    assert f"{TOOL}: 특정 사용자의 일일 제한량을 조회합니다." in finished.stdout.splitlines()


def test_program_without_a_key_says_what_to_set(run: Run) -> None:
    finished = run("call_with_mcp_sdk.py", without="MCP_API_KEY")

    assert finished.returncode == 1
    assert finished.stderr == "Set MCP_API_KEY to a key of the server.\n"


@pytest.mark.parametrize("tools", [[], ["multiply_numbers"]], ids=["none", "another"])
def test_scripted_model_has_no_answer_without_the_tool(model_url: str, tools: list[str]) -> None:
    request = {
        "model": "scripted",
        "messages": [{"role": "user", "content": QUESTION}],
        "tools": [{"type": "function", "function": {"name": name}} for name in tools],
    }

    answer = httpx.post(f"{model_url}/chat/completions", json=request).json()

    assert answer["choices"][0]["message"] == {"role": "assistant", "content": WITHOUT_TOOL}
