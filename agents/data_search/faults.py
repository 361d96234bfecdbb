"""What can go wrong outside the agent, each as one sentence for the person who asked."""

from collections.abc import Mapping

from agents.data_search.languages import Language
from agents.data_search.prompts import load_sentence
from agents.data_search.recordings import list_questions


def explain_fault(code: str, language: Language, values: Mapping[str, object] | None = None) -> str:
    """The sentence for a fault; one about a question that is not recorded lists those that are."""
    questions = "\n".join(f"- {question}" for question in list_questions(language))
    return load_sentence(code, language, **{"questions": questions, **(values or {})})


class AgentError(Exception):
    """A fault whose text may be shown: what was wrong and what would be right.

    `code` names its sentence in prompt.yaml, `values` fill it; the text is the English one.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(explain_fault(code, "en", values))
        self.code, self.values = code, values


class ToolServerError(AgentError):
    """The MCP server is away, refuses the key, or does not answer in time."""


class LanguageModelError(AgentError):
    """The language model is away, refuses, or answers nothing that can be read."""


class SettingError(Exception):
    """An environment variable is missing or cannot be read; the text names it."""
