"""Before a model call: reference documents and catalogue entries, fetched through the tools."""

import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.context import Context
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from agents.data_search.callbacks.stages import find_whole_question, set_fault
from agents.data_search.catalogue import (
    describe_columns,
    describe_notes,
    find_referred_tables,
    find_tables,
    one_line,
)
from agents.data_search.constants import (
    CATALOGUE,
    CATALOGUE_NOTES,
    CATALOGUE_TABLE_LIMIT,
    CATALOGUE_TABLES,
    COLUMN_NAMES_REF_DOCS_STATES,
    COLUMN_NAMES_STATES,
    MAX_LOOKUPS,
    NOTHING_FOUND,
    REFERENCE_DOCUMENT_COUNT,
    REFERENCE_DOCUMENTS,
    RUN_ERROR,
    RUN_ERROR_VALUES,
    STANDARD_COLUMNS,
    TABLE_DETAILS,
    TABLE_SUMMARIES,
)
from agents.data_search.faults import ToolServerError
from agents.data_search.mcp_tools import ToolServer
from agents.data_search.replies import read_column_names, read_standard_columns

logger = logging.getLogger(__name__)

BeforeModel = Callable[..., Coroutine[Any, Any, LlmResponse | None]]


def get_sql_query_references_before_model_callback(server: ToolServer) -> BeforeModel:
    """A callback that puts documents and table details for the question into the state.

    Documents are fetched once for a run, table details again when other tables come into play.
    """

    async def get_references(
        callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        try:
            await _refresh_documents(server, callback_context)
            await _refresh_catalogue(server, callback_context)
        except ToolServerError as fault:
            set_fault(callback_context, fault.code)
            # An answer given here replaces the model's, which is then not asked.
            return LlmResponse()
        return None

    return get_references


def stop_lookups_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Take the tools away after some look-ups, so that the agent answers with what it has."""
    parts = (part for content in llm_request.contents for part in content.parts or [])
    lookups = sum(part.function_response is not None for part in parts)
    if lookups >= MAX_LOOKUPS:
        llm_request.config.tools = []


def name_tables_before_agent_callback(
    server: ToolServer,
) -> Callable[..., Coroutine[Any, Any, None]]:
    """A callback that adds what the catalogue does hold to the answer that it holds nothing of the question."""

    async def name_tables(callback_context: CallbackContext) -> None:
        state = callback_context.state
        if state.get(RUN_ERROR) != NOTHING_FOUND:
            return
        tables: list[Any] = []
        with suppress(ToolServerError):
            answer = await server.call(TABLE_SUMMARIES, {}, callback_context)
            tables = [table for table in answer.get("tables") or [] if isinstance(table, dict)]
        names = [one_line(table.get("display_name") or table.get("name")) for table in tables]
        shown = ", ".join(names[:CATALOGUE_TABLE_LIMIT]) or "-"
        state[RUN_ERROR_VALUES] = {**(state.get(RUN_ERROR_VALUES) or {}), "tables": shown}

    return name_tables


async def fetch_tables(server: ToolServer, names: Sequence[str], context: Context) -> list[Any]:
    """The details of the tables that the catalogue knows of these. Raises ToolServerError."""
    if not names:
        return []
    unique = list(dict.fromkeys(names))[:CATALOGUE_TABLE_LIMIT]
    answer = await server.call(TABLE_DETAILS, {"table_names": unique}, context)
    if answer.get("status") == "error":
        logger.info("the catalogue knows none of the tables: %s", answer.get("message"))
    tables = answer.get("tables")
    return (
        [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []
    )


async def _refresh_documents(server: ToolServer, context: CallbackContext) -> None:
    """Fetch the documents for the question and its keywords, once for a run."""
    if context.state.get(COLUMN_NAMES_REF_DOCS_STATES):
        return
    names = read_column_names(str(context.state.get(COLUMN_NAMES_STATES) or ""))
    query = " ".join([find_whole_question(context), *(names.names() if names else ())])
    arguments = {"user_query": query, "n_results": REFERENCE_DOCUMENT_COUNT}
    answer = await server.call(REFERENCE_DOCUMENTS, arguments, context)
    documents = answer.get("reference_docs")
    items = documents if isinstance(documents, list) else []
    lines = [" ".join(str(item).split()) for item in items]
    context.state[COLUMN_NAMES_REF_DOCS_STATES] = "\n".join(lines)


async def _refresh_catalogue(server: ToolServer, context: CallbackContext) -> None:
    """Fetch the details of the tables in play, again when others come into play."""
    documents = str(context.state.get(COLUMN_NAMES_REF_DOCS_STATES) or "").splitlines()
    columns = read_standard_columns(str(context.state.get(STANDARD_COLUMNS) or ""))
    tables_in_play = [*(column.table for column in columns), *find_tables(documents)]
    names = list(dict.fromkeys(tables_in_play))[:CATALOGUE_TABLE_LIMIT]
    if names == context.state.get(CATALOGUE_TABLES):
        return
    tables = await fetch_tables(server, names, context)
    # The column that a question groups by is often in a table that those found refer to.
    referred = find_referred_tables(tables)[: CATALOGUE_TABLE_LIMIT - len(names)]
    tables += await fetch_tables(server, referred, context)
    context.state[CATALOGUE_TABLES] = names
    context.state[CATALOGUE] = describe_columns(tables)
    context.state[CATALOGUE_NOTES] = describe_notes(tables)
