"""The third stage: the SQL, run until the database takes it."""

from typing import Any

from google.adk.agents import LlmAgent, LoopAgent
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from agents.data_search.callbacks.artifacts import save_file_artifact_after_tool_callback
from agents.data_search.callbacks.references import get_sql_query_references_before_model_callback
from agents.data_search.callbacks.replies import (
    keep_review_after_model_callback,
    keep_sql_after_model_callback,
)
from agents.data_search.callbacks.stages import (
    end_stage_after_tool_callback,
    require_key_before_agent_callback,
    skip_after_fault_before_agent_callback,
)
from agents.data_search.constants import EXECUTE_QUERY, SQL_GENERATION, SQL_QUERY
from agents.data_search.replies import read_sql
from agents.data_search.sub_agents.building import Resources, inner_agent, make_loop


def make_sql_generation_loop(resources: Resources) -> LoopAgent:
    """Generator and reviewer; the loop ends with rows, and the database's message is the feedback."""
    references = get_sql_query_references_before_model_callback(resources.server)
    generator = LlmAgent(
        **inner_agent(
            "sql_generator", resources.model, *([references] if resources.has_references else ())
        ),
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_sql_after_model_callback,
    )
    reviewer = LlmAgent(
        **inner_agent("sql_reviewer", resources.model),
        tools=[resources.server.select(EXECUTE_QUERY)],
        before_agent_callback=require_key_before_agent_callback(SQL_QUERY),
        after_model_callback=keep_review_after_model_callback(SQL_GENERATION),
        before_tool_callback=clean_sql_before_tool_callback,
        after_tool_callback=[
            end_stage_after_tool_callback(SQL_GENERATION),
            save_file_artifact_after_tool_callback,
        ],
    )
    return make_loop(SQL_GENERATION, [generator, reviewer])


def clean_sql_before_tool_callback(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext
) -> None:
    """Send the bare statement; what was sent is what the next round corrects."""
    given = str(args.get("sql_query") or tool_context.state.get(SQL_QUERY) or "")
    args["sql_query"] = read_sql(given) or given
    tool_context.state[SQL_QUERY] = args["sql_query"]
