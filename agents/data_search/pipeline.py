"""The agents of the pipeline: extract, standardise, query, answer, one after the other."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, SequentialAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from agents.data_search.answer import AnswerAgent
from agents.data_search.callbacks.artifacts import save_file_artifact_after_tool_callback
from agents.data_search.callbacks.attachments import (
    read_attachments_before_agent_callback,
    show_images_before_model_callback,
)
from agents.data_search.callbacks.checks import check_sql_before_tool_callback
from agents.data_search.callbacks.images import save_imgfile_artifact_before_agent_callback
from agents.data_search.callbacks.inline_data import (
    keep_own_turn_before_model_callback,
    remove_non_text_part_from_llmrequest_before_model_callback,
)
from agents.data_search.callbacks.references import (
    fetch_tables,
    get_sql_query_references_before_model_callback,
    name_tables_before_agent_callback,
    stop_lookups_before_model_callback,
)
from agents.data_search.callbacks.replies import (
    keep_column_names_after_model_callback,
    keep_review_after_model_callback,
    keep_sql_after_model_callback,
    keep_standard_columns_after_model_callback,
)
from agents.data_search.callbacks.sections import (
    add_sections_before_model_callback,
    load_description,
    load_instruction,
)
from agents.data_search.callbacks.stages import (
    begin_run_before_agent_callback,
    check_server_before_agent_callback,
    end_stage_after_tool_callback,
    keep_fault_on_model_error_callback,
    report_fault_on_tool_error_callback,
    require_key_before_agent_callback,
    require_stages_before_agent_callback,
    skip_after_fault_before_agent_callback,
    to_json,
)
from agents.data_search.catalogue import check_columns
from agents.data_search.constants import (
    COLUMN_EXTRACTION,
    COLUMN_NAMES_STATES,
    COLUMN_STANDARDIZATION,
    COMPLETE_EXTRACTION,
    EXECUTE_QUERY,
    MAX_ROUNDS,
    REFERENCE_DOCUMENTS,
    SQL_GENERATION,
    SQL_QUERY,
    STANDARD_COLUMNS,
    TABLE_DETAILS,
    TABLE_SUMMARIES,
)
from agents.data_search.mcp_tools import ExitColumnExtractionLoop, ToolServer
from agents.data_search.replies import to_standard_columns


@dataclass(frozen=True)
class Resources:
    """What the agents of one application share."""

    model: BaseLlm
    server: ToolServer
    has_references: bool = True
    is_recorded: bool = False
    shows_images: bool = False


def build_data_search_agent(resources: Resources) -> SequentialAgent:
    """The three loops and the answer; a run may start here as well as at the root agent."""
    stages = [
        make_column_extraction_loop(resources),
        make_column_standardization_loop(resources),
        make_sql_generation_loop(resources),
        AnswerAgent(
            name="answer",
            description="Says the result.",
            is_recorded=resources.is_recorded,
            before_agent_callback=name_tables_before_agent_callback(resources.server),
        ),
    ]
    with warnings.catch_warnings():
        # Its successor, Workflow, cannot be an agent under another agent yet.
        warnings.filterwarnings("ignore", "SequentialAgent is deprecated", DeprecationWarning)
        return SequentialAgent(
            name="data_search_agent",
            description=load_description("data_search_agent"),
            sub_agents=stages,
            before_agent_callback=[
                begin_run_before_agent_callback,
                save_imgfile_artifact_before_agent_callback,
                read_attachments_before_agent_callback,
            ],
        )


def make_column_extraction_loop(resources: Resources) -> LoopAgent:
    """Which data the question asks for, in its own words.

    Extractor and reviewer; the reviewer ends the loop with `complete_column_extraction`.
    """
    images = [show_images_before_model_callback] if resources.shows_images else []
    extractor = LlmAgent(
        **inner_agent("column_name_extractor", resources.model, *images),
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_column_names_after_model_callback,
    )
    reviewer = LlmAgent(
        **inner_agent("column_name_reviewer", resources.model),
        tools=[resources.server.select(COMPLETE_EXTRACTION), ExitColumnExtractionLoop()],
        before_agent_callback=require_key_before_agent_callback(COLUMN_NAMES_STATES),
        after_model_callback=keep_review_after_model_callback(COLUMN_EXTRACTION),
        after_tool_callback=end_stage_after_tool_callback(COLUMN_EXTRACTION),
    )
    check = check_server_before_agent_callback(resources.server, EXECUTE_QUERY)
    return make_loop(COLUMN_EXTRACTION, [extractor, reviewer], check)


def make_column_standardization_loop(resources: Resources) -> LoopAgent:
    """Which real columns hold the data.

    Standardiser and reviewer; the loop ends when the reviewer's columns exist in the catalogue.
    """
    server = resources.server
    fetching, tools = [], []
    if resources.has_references:
        references = get_sql_query_references_before_model_callback(server)
        fetching = [references, stop_lookups_before_model_callback]
        tools = [server.select(REFERENCE_DOCUMENTS, TABLE_SUMMARIES, TABLE_DETAILS)]
    standardizer = LlmAgent(
        **inner_agent("column_name_standardizer", resources.model, *fetching),
        tools=tools,
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_standard_columns_after_model_callback,
    )
    reviewer = LlmAgent(
        **inner_agent("column_name_standard_reviewer", resources.model),
        tools=[make_completion_tool(server)],
        before_agent_callback=require_key_before_agent_callback(STANDARD_COLUMNS),
        after_model_callback=keep_review_after_model_callback(COLUMN_STANDARDIZATION),
        after_tool_callback=end_stage_after_tool_callback(COLUMN_STANDARDIZATION),
    )
    return make_loop(COLUMN_STANDARDIZATION, [standardizer, reviewer])


def make_completion_tool(server: ToolServer) -> Any:
    """The function by which the reviewer ends the standardisation."""

    async def complete_column_standardization(
        columns: list[dict[str, str]], tool_context: ToolContext
    ) -> dict[str, Any]:
        """Completes the mapping of the question's words to columns; each column is checked to exist.

        Args:
            columns: All entries, each with "keyword", "table" (schema and table) and "column".
            tool_context: Given by ADK, not by the model.

        """
        faults = ['no columns; send [{"keyword": "...", "table": "...", "column": "..."}]']
        if entries := to_standard_columns(columns):
            tables = await fetch_tables(server, [entry.table for entry in entries], tool_context)
            checked, faults = check_columns(entries, tables)
        if faults:
            return {"status": "error", "message": "; ".join(faults), "escalate": False}
        tool_context.state[STANDARD_COLUMNS] = to_json([column.model_dump() for column in checked])
        message = "Column standardization completed."
        return {"status": "success", "message": message, "escalate": True}

    return complete_column_standardization


def make_sql_generation_loop(resources: Resources) -> LoopAgent:
    """The SQL, run until the database takes it.

    Generator and reviewer; the loop ends with rows, and the database's message is the feedback.
    """
    references = get_sql_query_references_before_model_callback(resources.server)
    fetching = [references] if resources.has_references else []
    generator = LlmAgent(
        **inner_agent("sql_generator", resources.model, *fetching),
        before_agent_callback=skip_after_fault_before_agent_callback,
        after_model_callback=keep_sql_after_model_callback,
    )
    reviewer = LlmAgent(
        **inner_agent("sql_reviewer", resources.model),
        tools=[resources.server.select(EXECUTE_QUERY)],
        before_agent_callback=require_key_before_agent_callback(SQL_QUERY),
        after_model_callback=keep_review_after_model_callback(SQL_GENERATION),
        before_tool_callback=check_sql_before_tool_callback(resources.server),
        after_tool_callback=[
            end_stage_after_tool_callback(SQL_GENERATION),
            save_file_artifact_after_tool_callback,
        ],
    )
    return make_loop(SQL_GENERATION, [generator, reviewer])


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
    """The loop of a stage: at most MAX_ROUNDS rounds, and none if a stage before it did not succeed."""
    with warnings.catch_warnings():
        # As above.
        warnings.filterwarnings("ignore", "LoopAgent is deprecated", DeprecationWarning)
        return LoopAgent(
            name=f"{stage}_loop",
            sub_agents=list(agents),
            max_iterations=MAX_ROUNDS,
            before_agent_callback=[require_stages_before_agent_callback(stage), *checks],
        )
