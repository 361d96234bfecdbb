"""Before a model call: the data of the run, in sections behind the agent's rules."""

from collections.abc import Callable, Mapping
from typing import Final

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest

from agents.data_search.callbacks.stages import find_whole_question
from agents.data_search.constants import (
    ATTACHMENTS,
    CATALOGUE,
    CATALOGUE_NOTES,
    COLUMN_NAMES_FEEDBACK,
    COLUMN_NAMES_REF_DOCS_STATES,
    COLUMN_NAMES_STATES,
    EARLIER,
    SQL_FEEDBACK,
    SQL_QUERY,
    STANDARD_COLUMNS,
    STANDARD_COLUMNS_FEEDBACK,
)
from agents.data_search.prompts import join_sections, load_prompt

# Heading and state key of what each agent is shown besides the question.
_EARLIER = ("Earlier questions", EARLIER)
_ATTACHMENTS = ("Attachments", ATTACHMENTS)
_KEYWORDS = ("Keywords", COLUMN_NAMES_STATES)
_DOCUMENTS = ("Reference documents", COLUMN_NAMES_REF_DOCS_STATES)
_CATALOGUE = ("Catalogue", CATALOGUE)
_NOTES = ("Notes", CATALOGUE_NOTES)
_COLUMNS = ("Columns", STANDARD_COLUMNS)
_SQL = ("SQL", SQL_QUERY)
SECTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "root_agent": (_EARLIER, _ATTACHMENTS),
    "column_name_extractor": (
        _EARLIER,
        _ATTACHMENTS,
        _KEYWORDS,
        ("Feedback", COLUMN_NAMES_FEEDBACK),
    ),
    "column_name_reviewer": (_ATTACHMENTS, _KEYWORDS),
    "column_name_standardizer": (
        _ATTACHMENTS,
        _KEYWORDS,
        _DOCUMENTS,
        _CATALOGUE,
        _NOTES,
        _COLUMNS,
        ("Feedback", STANDARD_COLUMNS_FEEDBACK),
    ),
    "column_name_standard_reviewer": (_KEYWORDS, _CATALOGUE, _COLUMNS),
    "sql_generator": (
        _EARLIER,
        _ATTACHMENTS,
        _KEYWORDS,
        _DOCUMENTS,
        _CATALOGUE,
        _NOTES,
        _COLUMNS,
        _SQL,
        ("Feedback", SQL_FEEDBACK),
    ),
    "sql_reviewer": (_CATALOGUE, _COLUMNS, _SQL),
}


def load_instruction(name: str) -> str:
    """An agent's role, task, rules and shape of answer."""
    return "\n\n".join([load_prompt(_tag(name, "instruction")), load_prompt("data_safety")])


def load_description(name: str) -> str:
    """What an agent is for, in a sentence."""
    return load_prompt(_tag(name, "description"))


def add_sections_before_model_callback(name: str) -> Callable[..., None]:
    """A callback that puts the question and the state's data behind the instruction of the agent."""
    now = load_prompt(_tag(name, "now"))

    def add(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        state = callback_context.state
        data = [(heading, str(state.get(key) or "")) for heading, key in SECTIONS[name]]
        question = ("Question", find_whole_question(callback_context))
        llm_request.append_instructions([join_sections([question, *data, ("Now", now)])])

    return add


def _tag(name: str, part: str) -> str:
    is_outer = name in {"root_agent", "data_search_agent"}
    return f"{name}.{part}" if is_outer else f"data_search_agent.{name}.{part}"
