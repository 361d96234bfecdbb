"""What the language-model agents and the loops of all stages have in common."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.agents import BaseAgent, LoopAgent
from google.adk.models.base_llm import BaseLlm
from google.genai import types

from agents.data_search.callbacks.inline_data import (
    keep_own_turn_before_model_callback,
    remove_non_text_part_from_llmrequest_before_model_callback,
)
from agents.data_search.callbacks.sections import (
    add_sections_before_model_callback,
    load_description,
    load_instruction,
)
from agents.data_search.callbacks.stages import (
    keep_fault_on_model_error_callback,
    report_fault_on_tool_error_callback,
    require_stages_before_agent_callback,
)
from agents.data_search.constants import MAX_ROUNDS
from agents.data_search.mcp_tools import ToolServer


@dataclass(frozen=True)
class Resources:
    """What the agents of one application share."""

    model: BaseLlm
    server: ToolServer
    has_references: bool = True
    is_recorded: bool = False


def inner_agent(name: str, model: BaseLlm, *fetching: Any) -> dict[str, Any]:
    """The fields of an LlmAgent of the pipeline; `fetching` runs before the data sections are added.

    It sees no history: the sections carry everything, and stay the same length in each round. It cannot
    hand over to another agent, which weak models else do.
    """
    # A function, since ADK fills braces of a plain text from the state, and these hold JSON.
    instruction = load_instruction(name)
    return {
        "name": name,
        "model": model,
        "description": load_description(name),
        "instruction": lambda _context: instruction,
        "include_contents": "none",
        "disallow_transfer_to_parent": True,
        "disallow_transfer_to_peers": True,
        "generate_content_config": types.GenerateContentConfig(temperature=0.0),
        "before_model_callback": [
            keep_own_turn_before_model_callback,
            remove_non_text_part_from_llmrequest_before_model_callback,
            *fetching,
            add_sections_before_model_callback(name),
        ],
        "on_model_error_callback": keep_fault_on_model_error_callback,
        "on_tool_error_callback": report_fault_on_tool_error_callback,
    }


def make_loop(stage: str, agents: Sequence[BaseAgent], *checks: Any) -> LoopAgent:
    """The loop of a stage: at most MAX_ROUNDS rounds, and none where a stage before it did not succeed."""
    with warnings.catch_warnings():
        # Its successor, Workflow, cannot be an agent under another agent yet.
        warnings.filterwarnings("ignore", "LoopAgent is deprecated", DeprecationWarning)
        return LoopAgent(
            name=f"{stage}_loop",
            sub_agents=list(agents),
            max_iterations=MAX_ROUNDS,
            before_agent_callback=[require_stages_before_agent_callback(stage), *checks],
        )
