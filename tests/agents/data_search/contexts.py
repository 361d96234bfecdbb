"""Contexts as callbacks get them, over ADK's in-memory services."""

from google.adk.agents.context import Context
from google.adk.agents.invocation_context import InvocationContext
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import EventActions
from google.adk.sessions import InMemorySessionService
from google.genai import types

import agents.data_search  # noqa: F401 - it sets what ADK reads when it is imported
from agents.data_search.constants import APP_NAME


def user_message(*parts: types.Part | str) -> types.Content:
    made = [types.Part.from_text(text=part) if isinstance(part, str) else part for part in parts]
    return types.Content(role="user", parts=made)


async def make_context(
    content: types.Content | str = "sales by region", state: dict[str, object] | None = None
) -> Context:
    """The context of a tool call `call-1` in invocation `run-1`."""
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name=APP_NAME, user_id="user", state=state or {})
    invocation = InvocationContext(
        session_service=sessions,
        artifact_service=InMemoryArtifactService(),
        invocation_id="run-1",
        session=session,
        user_content=user_message(content) if isinstance(content, str) else content,
    )
    return Context(invocation, event_actions=EventActions(), function_call_id="call-1")
