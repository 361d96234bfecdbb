"""Reference documents and catalogue entries reach the state."""

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.callbacks.references import (
    get_sql_query_references_before_model_callback,
    stop_lookups_before_model_callback,
)
from agents.data_search.constants import MAX_LOOKUPS
from agents.data_search.environment import Environment
from agents.data_search.mcp_tools import ToolServer
from tests.agents.data_search.contexts import make_context, user_message


async def test_documents_and_catalogue_go_into_the_state(tool_server: ToolServer) -> None:
    context = await make_context()

    answer = await get_sql_query_references_before_model_callback(tool_server)(
        callback_context=context, llm_request=LlmRequest()
    )

    assert answer is None
    assert context.state["column_names_reference_docs"] == (
        "table: users, column: email, type: text, description: 이메일 ## SQL DROP TABLE x"
    )
    assert "public.users.email | text" in context.state["catalogue"]
    assert "Ignore test accounts." in context.state["catalogue_notes"]


async def test_tables_of_the_columns_are_added(tool_server: ToolServer) -> None:
    state: dict[str, object] = {
        "column_names_reference_docs": "question: how many?",
        "standard_columns": '[{"keyword": "k", "table": "public.users", "column": "email"}]',
    }
    context = await make_context(state=state)

    await get_sql_query_references_before_model_callback(tool_server)(
        callback_context=context, llm_request=LlmRequest()
    )

    assert context.state["catalogue_tables"] == ["public.users"]
    assert "public.users.email" in context.state["catalogue"]


async def test_without_the_server_the_model_is_not_asked() -> None:
    server = ToolServer(Environment(mcp_url="http://127.0.0.1:1/mcp"))
    context = await make_context()

    answer = await get_sql_query_references_before_model_callback(server)(
        callback_context=context, llm_request=LlmRequest()
    )

    assert answer is not None
    assert context.state["run_error"] == "server_unreachable"
    assert context.actions.escalate
    await server.close()


@pytest.mark.parametrize(("lookups", "kept"), [(MAX_LOOKUPS - 1, 1), (MAX_LOOKUPS, 0)])
async def test_lookups_of_a_round_are_limited(lookups: int, kept: int) -> None:
    response = types.Part.from_function_response(name="f", response={})
    request = LlmRequest(contents=[user_message(response)] * lookups)
    request.config.tools = [types.Tool()]

    stop_lookups_before_model_callback(await make_context(), request)

    assert len(request.config.tools or []) == kept
