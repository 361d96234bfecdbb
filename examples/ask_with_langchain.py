"""A LangChain agent that answers a question with the tools of the server.

python examples/ask_with_langchain.py "What is the daily limit of the user hong?"
"""

import asyncio
import os
import sys

from fastmcp.client.transports import StreamableHttpTransport
from langchain.agents import create_agent
from langchain.mcp import MCPAdapter
from langchain_openai import ChatOpenAI

URL = os.environ.get("MCP_URL") or "http://127.0.0.1:3003/mcp"
KEY = os.environ.get("MCP_API_KEY") or sys.exit("Set MCP_API_KEY to a key of the server.")
LLM_URL = os.environ.get("LLM_BASE_URL") or sys.exit("Set LLM_BASE_URL, as in http://host/v1.")
LLM_MODEL = os.environ.get("LLM_MODEL") or sys.exit("Set LLM_MODEL to a model of LLM_BASE_URL.")
LLM_KEY = os.environ.get("LLM_API_KEY") or "unused"
QUESTION = " ".join(sys.argv[1:]) or "What is the daily limit of the user hong?"
TIME_LIMIT_S = 300


async def ask(question: str) -> str:
    """The agent's answer; it calls as many tools as it needs for it."""
    server = StreamableHttpTransport(URL, headers={"Authorization": f"Bearer {KEY}"})
    model = ChatOpenAI(model=LLM_MODEL, base_url=LLM_URL, api_key=lambda: LLM_KEY)
    async with asyncio.timeout(TIME_LIMIT_S), MCPAdapter(server) as adapter:
        agent = create_agent(model, await adapter.list_tools())
        answer = await agent.ainvoke({"messages": [{"role": "user", "content": question}]})
    return str(answer["messages"][-1].text)


print(asyncio.run(ask(QUESTION)))
