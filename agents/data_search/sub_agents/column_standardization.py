"""The second stage: which real columns hold the data."""

from typing import Any

from google.adk.agents import LlmAgent, LoopAgent
from google.adk.tools.tool_context import ToolContext

from agents.data_search.callbacks.references import (
    fetch_tables,
    get_sql_query_references_before_model_callback,
    stop_lookups_before_model_callback,
)
from agents.data_search.callbacks.replies import (
    keep_review_after_model_callback,
    keep_standard_columns_after_model_callback,
)
from agents.data_search.callbacks.stages import (
    end_stage_after_tool_callback,
    require_key_before_agent_callback,
    skip_after_fault_before_agent_callback,
    to_json,
)
from agents.data_search.catalogue import check_columns
from agents.data_search.constants import (
    COLUMN_STANDARDIZATION,
    REFERENCE_DOCUMENTS,
    STANDARD_COLUMNS,
    TABLE_DETAILS,
    TABLE_SUMMARIES,
)
from agents.data_search.replies import to_standard_columns
from agents.data_search.sub_agents.building import Resources, inner_agent, make_loop


def make_column_standardization_loop(resources: Resources) -> LoopAgent:
    """Standardiser and reviewer; the loop ends when the reviewer's columns exist in the catalogue."""
    reviewer = LlmAgent(
        **inner_agent("column_name_standard_reviewer", resources.model),
        tools=[make_completion_tool(resources)],
        before_agent_callback=require_key_before_agent_callback(STANDARD_COLUMNS),
        after_model_callback=keep_review_after_model_callback(COLUMN_STANDARDIZATION),
        after_tool_callback=end_stage_after_tool_callback(COLUMN_STANDARDIZATION),
    )
    return make_loop(COLUMN_STANDARDIZATION, [_make_standardizer(resources), reviewer])


def _make_standardizer(resources: Resources) -> LlmAgent:
    server = resources.server
    names = (REFERENCE_DOCUMENTS, TABLE_SUMMARIES, TABLE_DETAILS)
    fetching = [
        get_sql_query_references_before_model_callback(server),
        stop_lookups_before_model_callback,
    ]
    return LlmAgent(
        **inner_agent(
            "column_name_standardizer",
            resources.model,
            *(fetching if resources.has_references else ()),
        ),
        tools=[server.select(*names)] if resources.has_references else [],
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_standard_columns_after_model_callback,
    )


def make_completion_tool(resources: Resources) -> Any:
    """The function by which the reviewer ends the stage."""

    async def complete_column_standardization(
        columns: list[dict[str, str]], tool_context: ToolContext
    ) -> dict[str, Any]:
        """Completes the mapping of the question's words to columns; each column is checked to exist.

        Args:
            columns: All entries, each with "keyword", "table" (schema and table) and "column".
            tool_context: Given by ADK, not by the model.

        """
        given = to_standard_columns(columns)
        if not given:
            return _refuse('no columns; send [{"keyword": "...", "table": "...", "column": "..."}]')
        tables = await fetch_tables(resources.server, [each.table for each in given], tool_context)
        checked, faults = check_columns(given, tables)
        if faults:
            return _refuse("; ".join(faults))
        tool_context.state[STANDARD_COLUMNS] = to_json([column.model_dump() for column in checked])
        message = "Column standardization completed."
        return {"status": "success", "message": message, "escalate": True}

    return complete_column_standardization


def _refuse(message: str) -> dict[str, Any]:
    return {"status": "error", "message": message, "escalate": False}
