"""An agent of the OpenAI Agents SDK that answers a question with the tools of the server.

python examples/ask_with_openai_agents.py "What is the daily limit of the user hong?"
"""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

URL = os.environ.get("MCP_URL") or "http://127.0.0.1:3003/mcp"
KEY = os.environ.get("MCP_API_KEY") or sys.exit("Set MCP_API_KEY to a key of the server.")
LLM_URL = os.environ.get("LLM_BASE_URL") or sys.exit("Set LLM_BASE_URL, as in http://host/v1.")
LLM_MODEL = os.environ.get("LLM_MODEL") or sys.exit("Set LLM_MODEL to a model of LLM_BASE_URL.")
LLM_KEY = os.environ.get("LLM_API_KEY") or "unused"
QUESTION = " ".join(sys.argv[1:]) or "What is the daily limit of the user hong?"
TIME_LIMIT_S = 300
TOOL_TIME_LIMIT_S = 60


async def ask(question: str) -> str:
    """The agent's answer; it calls as many tools as it needs for it."""
    # Traces go to OpenAI's servers, with what the tools answered, unless this is said.
    set_tracing_disabled(disabled=True)
    server = MCPServerStreamableHttp(
        {"url": URL, "headers": {"Authorization": f"Bearer {KEY}"}, "timeout": TOOL_TIME_LIMIT_S},
        name="toolbuilder",
        client_session_timeout_seconds=TOOL_TIME_LIMIT_S,
    )
    llm = AsyncOpenAI(base_url=LLM_URL, api_key=LLM_KEY)
    async with asyncio.timeout(TIME_LIMIT_S), server, llm:
        model = OpenAIChatCompletionsModel(LLM_MODEL, llm)
        agent = Agent("assistant", model=model, mcp_servers=[server])
        return str((await Runner.run(agent, question)).final_output)


print(asyncio.run(ask(QUESTION)))
