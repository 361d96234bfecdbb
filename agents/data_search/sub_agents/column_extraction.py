"""The first stage: which data the question asks for, in its own words."""

from google.adk.agents import LlmAgent, LoopAgent

from agents.data_search.callbacks.replies import (
    keep_column_names_after_model_callback,
    keep_review_after_model_callback,
)
from agents.data_search.callbacks.stages import (
    check_server_before_agent_callback,
    end_stage_after_tool_callback,
    require_key_before_agent_callback,
    skip_after_fault_before_agent_callback,
)
from agents.data_search.constants import (
    COLUMN_EXTRACTION,
    COLUMN_NAMES_STATES,
    COMPLETE_EXTRACTION,
    EXECUTE_QUERY,
)
from agents.data_search.sub_agents.building import Resources, inner_agent, make_loop


def make_column_extraction_loop(resources: Resources) -> LoopAgent:
    """Extractor and reviewer; the reviewer ends the loop with `complete_column_extraction`."""
    extractor = LlmAgent(
        **inner_agent("column_name_extractor", resources.model),
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_column_names_after_model_callback,
    )
    reviewer = LlmAgent(
        **inner_agent("column_name_reviewer", resources.model),
        tools=[resources.server.select(COMPLETE_EXTRACTION)],
        before_agent_callback=require_key_before_agent_callback(COLUMN_NAMES_STATES),
        after_model_callback=keep_review_after_model_callback(COLUMN_EXTRACTION),
        after_tool_callback=end_stage_after_tool_callback(COLUMN_EXTRACTION),
    )
    check = check_server_before_agent_callback(resources.server, EXECUTE_QUERY)
    return make_loop(COLUMN_EXTRACTION, [extractor, reviewer], check)
