"""Whole runs of the pipeline with a model that says what it is told to, over the real MCP server."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr

from agents.data_search.constants import APP_NAME
from agents.data_search.mcp_tools import ToolServer
from agents.data_search.pipeline import Resources, build_data_search_agent
from tests.agents.data_search.contexts import user_message

_NAMES = '{"requested_columns": ["email"]}'
_COLUMNS = [{"keyword": "email", "table": "users", "column": "email"}]


class ScriptedModel(BaseLlm):
    """Says the next thing that it is told for a role, and the last one again after it."""

    model: str = "told"
    says: dict[str, list[str | types.Part]]
    _asked: list[str] = PrivateAttr(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        system = str(llm_request.config.system_instruction)
        role = system.splitlines()[0].removeprefix("# Role: ")
        said = self.says.get(role, ["?"])
        what = said[min(self._asked.count(role), len(said) - 1)]
        self._asked.append(role)
        part = types.Part.from_text(text=what) if isinstance(what, str) else what
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def _call(name: str, **arguments: Any) -> types.Part:
    return types.Part.from_function_call(name=name, args=arguments)


_EXTRACTED = {"column_name_extractor": [_NAMES]}
_REVIEWED = {
    **_EXTRACTED,
    "column_name_reviewer": [_call("complete_column_extraction", extracted_columns={})],
}


async def _run(server: ToolServer, says: dict[str, Any]) -> tuple[dict[str, Any], list[str], str]:
    """The state at the end, the roles that were asked, and the answer."""
    model = ScriptedModel(says=says)
    pipeline = build_data_search_agent(Resources(model=model, server=server))
    runner = InMemoryRunner(app=App(name=APP_NAME, root_agent=pipeline))
    service = runner.session_service
    session = await service.create_session(app_name=APP_NAME, user_id="u")
    events = [
        event
        async for event in runner.run_async(
            user_id="u", session_id=session.id, new_message=user_message("emails?")
        )
    ]
    ended = await service.get_session(app_name=APP_NAME, user_id="u", session_id=session.id)
    await runner.close()
    assert ended is not None
    return ended.state, model._asked, "".join(_texts(events[-1].content))


def _texts(content: types.Content | None) -> Iterator[str]:
    yield from (part.text for part in (content.parts if content else None) or [] if part.text)


async def test_prose_exhausts_the_first_loop_and_stops_the_rest(tool_server: ToolServer) -> None:
    state, asked, answer = await _run(tool_server, {"column_name_extractor": ["I think 42."]})

    assert asked == ["column_name_extractor"] * 3
    assert state["stopped_stage"] == "column_extraction"
    assert "42" not in answer


async def test_an_objection_goes_into_the_next_round(tool_server: ToolServer) -> None:
    says = {**_EXTRACTED, "column_name_reviewer": ["The date is missing."]}

    state, asked, answer = await _run(tool_server, says)

    assert asked == ["column_name_extractor", "column_name_reviewer"] * 3
    assert state["column_names_feedback"] == "The date is missing."
    assert "The date is missing." in answer


async def test_a_tool_that_is_made_up_ends_the_reviewers_turn(tool_server: ToolServer) -> None:
    says = {**_EXTRACTED, "column_name_reviewer": [_call("finish_everything")]}

    state, asked, _ = await _run(tool_server, says)

    assert asked == ["column_name_extractor", "column_name_reviewer"] * 3
    assert state["stopped_stage"] == "column_extraction"


async def test_columns_are_checked_and_the_database_answers_last(tool_server: ToolServer) -> None:
    complete = "complete_column_standardization"
    wrong = [{"table": "users", "column": "mail"}]
    says = {
        **_REVIEWED,
        "column_name_standardizer": [str(_COLUMNS).replace("'", '"')],
        "column_name_standard_reviewer": [
            _call(complete, columns=wrong),
            _call(complete, columns=_COLUMNS),
        ],
        "sql_generator": ["```sql\nSELECT\u00a0email FROM users\n```"],
        "sql_reviewer": [_call("execute_postgres_query", sql_query="SELECT email FROM users;")],
    }

    state, asked, answer = await _run(tool_server, says)

    assert asked.count("column_name_standard_reviewer") == 2
    assert '"table": "public.users", "column": "email"' in state["standard_columns"]
    assert asked.count("sql_generator") == 3
    assert state["sql_feedback"] == "refused SELECT email FROM users"
    assert "refused SELECT email FROM users" in answer


@pytest.mark.parametrize(
    "columns", [[], "none", [{"column": "email"}]], ids=["none", "text", "bare"]
)
async def test_completing_without_columns_is_refused(
    tool_server: ToolServer, columns: object
) -> None:
    says = {
        **_REVIEWED,
        "column_name_standardizer": [str(_COLUMNS).replace("'", '"')],
        "column_name_standard_reviewer": [
            _call("complete_column_standardization", columns=columns)
        ],
    }

    state, _, _ = await _run(tool_server, says)

    assert state["stopped_stage"] == "column_standardization"
