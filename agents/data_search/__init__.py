"""The data-search agent: a question in words becomes SQL, a table and files, by way of an MCP server.

It may import google.adk, mcp, openai, openpyxl and yaml, and nothing of this project outside `agents`.
"""

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

# `adk web agents` and `adk run` import this folder as `data_search`, without the project's root on the path.
_PROJECT_ROOT = str(Path(__file__).resolve().parents[2])
if _PROJECT_ROOT not in sys.path:
    sys.path.insert(0, _PROJECT_ROOT)

# ADK reads the first when it opens an MCP session: else it looks for Google credentials to put in front
# of our server. LiteLLM reads the second when it is imported: else it fetches a table of prices.
os.environ.setdefault("GOOGLE_API_USE_CLIENT_CERTIFICATE", "false")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def __getattr__(name: str) -> ModuleType:
    """The module `agent`, when it is asked for: `adk eval` looks for it here, and it reads the environment."""
    if name == "agent":
        return importlib.import_module("agents.data_search.agent")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
