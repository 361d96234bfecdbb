"""What a chat-completions request says: role, sections, tools, and whether a tool has answered."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ROLE = re.compile(r"^# Role: *(\w+)", re.MULTILINE)
_HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)
# ADK writes who the agent is below an instruction, where it would end up in the last section.
_AFTERWORD = re.compile(r"\n+You are an agent\. Your internal name is .*?(?=\n## |\Z)", re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """One request; `sections` by heading, `tools` the declared functions by name.

    `tool_answers` are what called tools have said since, in order.
    """

    role: str
    sections: Mapping[str, str]
    tools: Mapping[str, Mapping[str, Any]]
    instruction: str
    last_role: str
    last_text: str
    tool_answers: tuple[str, ...] = ()

    def section(self, heading: str) -> str:
        """The section's text, empty if it is absent."""
        return self.sections.get(heading, "")

    @property
    def question(self) -> str:
        """The question of the sections, else the last thing the user said."""
        return self.section("Question") or self.last_text


def read_prompt(request: Mapping[str, Any]) -> Prompt:
    """The prompt of a request's body; unknown shapes count as empty text."""
    messages = [m for m in request.get("messages") or [] if isinstance(m, Mapping)]
    instruction = "\n".join(_text(m) for m in messages if m.get("role") in ("system", "developer"))
    text = "\n".join(
        [_AFTERWORD.sub("", instruction)] + [_text(m) for m in messages if m.get("role") == "user"]
    )
    role = _ROLE.search(text)
    last = messages[-1] if messages else {}
    return Prompt(
        role=role.group(1) if role else "",
        sections=split_sections(text if "## " in text else ""),
        tools=_declared(request.get("tools") or []),
        instruction=instruction,
        last_role=str(last.get("role", "")),
        last_text=_text(last),
        tool_answers=tuple(_text(m) for m in messages if m.get("role") == "tool"),
    )


def split_sections(text: str) -> dict[str, str]:
    """Each heading's text up to the next heading; of equal headings the first that holds anything."""
    parts = _HEADING.split(text)
    sections: dict[str, str] = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        sections[heading] = sections.get(heading) or body.strip()
    return sections


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(p.get("text", "")) for p in parts if isinstance(p, Mapping))


def _declared(tools: Sequence[Any]) -> dict[str, Mapping[str, Any]]:
    functions = [t.get("function") for t in tools if isinstance(t, Mapping)]
    return {str(f.get("name")): f for f in functions if isinstance(f, Mapping)}
