"""The environment variables of the agent, read once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from agents.data_search.faults import SettingError

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DEFAULT_MCP_URL = "http://127.0.0.1:3003/mcp"
RECORDED_NOTICE = "no language model: replies recorded for the demo's questions; set LLM_BASE_URL and LLM_MODEL to ask others"
DEFAULT_LLM_TIMEOUT_S = 60.0
DEFAULT_MCP_TIMEOUT_S = 30.0
DEFAULT_TIME_BUDGET_S = 180.0
DEFAULT_TOKEN_BUDGET = 200_000
_BACKENDS = ("openai", "litellm")

Backend = Literal["openai", "litellm"]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the tools and the model are; `llm_base_url` is "" for the recorded replies.

    The two timeouts are of one answer as a whole, not of its parts; the budgets of one question.
    """

    mcp_url: str = DEFAULT_MCP_URL
    mcp_api_key: str = field(default="", repr=False)
    llm_base_url: str = ""
    llm_model: str = ""
    llm_api_key: str = field(default="", repr=False)
    llm_backend: Backend = "openai"
    llm_timeout_s: float = DEFAULT_LLM_TIMEOUT_S
    mcp_timeout_s: float = DEFAULT_MCP_TIMEOUT_S
    artifacts_dir: Path = PROJECT_ROOT / ".data" / "agent" / "artifacts"
    has_references: bool = True
    shows_images: bool = False
    time_budget_s: float = DEFAULT_TIME_BUDGET_S
    token_budget: int = DEFAULT_TOKEN_BUDGET

    @property
    def is_recorded(self) -> bool:
        """Whether recorded replies stand in for a language model."""
        return not self.llm_base_url


def read_environment(variables: Mapping[str, str], root: Path = PROJECT_ROOT) -> Environment:
    """The settings that the variables give; `root` holds .data/endpoints.json, read when MCP_URL is unset.

    TOOLBUILDER_DATA_DIR names another folder than .data. Raises SettingError.
    """
    data = Path(variables.get("TOOLBUILDER_DATA_DIR") or root / ".data")
    url, key = _read_server(variables, data)
    base_url = _read_url("LLM_BASE_URL", variables.get("LLM_BASE_URL", "").strip())
    model = variables.get("LLM_MODEL", "").strip()
    if base_url and not model:
        raise SettingError("LLM_MODEL is not set; name the model that LLM_BASE_URL serves")
    if model and not base_url:
        raise SettingError("LLM_BASE_URL is not set; name the address that serves LLM_MODEL")
    folder = variables.get("AGENT_ARTIFACTS_DIR", "").strip()
    return Environment(
        mcp_url=url,
        mcp_api_key=key,
        llm_base_url=base_url,
        llm_model=model,
        llm_api_key=variables.get("LLM_API_KEY", "").strip(),
        llm_backend=cast(Backend, _read_choice("LLM_BACKEND", variables, _BACKENDS)),
        llm_timeout_s=_read_seconds("LLM_TIMEOUT_S", variables, DEFAULT_LLM_TIMEOUT_S),
        mcp_timeout_s=_read_seconds("MCP_TIMEOUT_S", variables, DEFAULT_MCP_TIMEOUT_S),
        artifacts_dir=Path(folder) if folder else data / "agent" / "artifacts",
        has_references=_read_choice("AGENT_REFERENCES", variables, ("on", "off")) == "on",
        shows_images=_read_choice("AGENT_IMAGES", variables, ("off", "on")) == "on",
        time_budget_s=_read_seconds("AGENT_TIME_BUDGET_S", variables, DEFAULT_TIME_BUDGET_S),
        token_budget=_read_tokens("AGENT_TOKEN_BUDGET", variables),
    )


def _read_server(variables: Mapping[str, str], data: Path) -> tuple[str, str]:
    """The MCP server's address and key; those of the server that runs here if none is named."""
    url = variables.get("MCP_URL", "").strip()
    key = variables.get("MCP_API_KEY", "").strip()
    if url:
        return _read_url("MCP_URL", url), key
    try:
        endpoints = json.loads((data / "endpoints.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        endpoints = {}
    except (OSError, ValueError) as error:
        raise SettingError(
            ".data/endpoints.json cannot be read; start the server again, or set MCP_URL and MCP_API_KEY"
        ) from error
    texts = endpoints if isinstance(endpoints, dict) else {}
    texts = {name: value for name, value in texts.items() if isinstance(value, str)}
    address = _read_url("mcp of .data/endpoints.json", texts.get("mcp", DEFAULT_MCP_URL))
    return address, key or texts.get("api_key", "")


def _read_url(name: str, value: str) -> str:
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        # Reading it is what checks it.
        _ = parts.port
    except ValueError:
        is_address = False
    if value and not is_address:
        raise SettingError(f"{name} must be an address like {DEFAULT_MCP_URL}")
    return value


def _read_choice(name: str, variables: Mapping[str, str], choices: tuple[str, ...]) -> str:
    """The value, one of the choices; the first if the variable is unset."""
    value = variables.get(name, "").strip().lower() or choices[0]
    if value not in choices:
        raise SettingError(f"{name} must be one of {', '.join(choices)} (got {value[:40]!r})")
    return value


def _read_seconds(name: str, variables: Mapping[str, str], default: float) -> float:
    text = variables.get(name, "").strip()
    try:
        seconds = float(text) if text else default
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise SettingError(f"{name} must be a number of seconds, above 0 and at most 3600")
    return seconds


def _read_tokens(name: str, variables: Mapping[str, str]) -> int:
    text = variables.get(name, "").strip().replace("_", "").replace(",", "")
    if not text:
        return DEFAULT_TOKEN_BUDGET
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise SettingError(f"{name} must be a number of tokens, at least 1")
    return int(text)
