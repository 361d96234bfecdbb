"""Texts that agents and people read: each has a code and values, so that pages can show it in the reader's language."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MAX_STORED_DEPTH = 8

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Joined(NamedTuple):
    """Several values in one place, with the separator between them."""

    parts: "tuple[Value, ...]"
    separator: str


class Counted(NamedTuple):
    """A template for one thing and one for {count} of them."""

    singular: str
    plural: str


@dataclass(frozen=True, slots=True)
class Message:
    """One text; `str()` of it is English and is made when it is asked for.

    `code` is dotted and never changes; it is "" for foreign text, such as a database's own words,
    which has no translation. `template` is the English text, with {names} of `values`; a translation
    has the same names. Where `plural` is set, it is the template of every `count` but 1.
    """

    code: str
    template: str
    values: "Mapping[str, Value]" = field(default_factory=dict)
    plural: str = ""

    def __str__(self) -> str:
        return self.render(_english)

    def render(self, find_template: "Callable[[Message], str]") -> str:
        """The text in the language of the templates that the function finds; numbers with commas."""
        values = self.values
        # Not str.format: a stored template may come from another program, and formats can be endless.
        return _PLACEHOLDER.sub(
            lambda name: _show(values[name[1]], find_template) if name[1] in values else name[0],
            find_template(self) if self.code else self.template,
        )

    @property
    def is_foreign(self) -> bool:
        """Whether it is a text that is not ours, the same in every language."""
        return not (self.code or self.values)

    def size(self) -> int:
        """At least as many characters as the English text has, counted without making it."""
        template = max(self.template, self.plural, key=len)
        uses = Counter(_PLACEHOLDER.findall(template))
        return len(template) + sum(uses[name] * _size(value) for name, value in self.values.items())

    def shortened(self, limit: int) -> "Message":
        """The message itself, or the beginning of its English text where it may be longer."""
        return self if self.size() <= limit else foreign(str(self)[:limit])

    def to_json(self) -> dict[str, Any]:
        """The message as it is stored or sent to another process; `from_json` reads it."""
        values = {name: _value_to_json(value) for name, value in self.values.items()}
        return {
            "code": self.code,
            "template": self.template,
            "values": values,
            "plural": self.plural,
        }


Value = str | int | Message | Joined
Template = str | Counted


# The templates are taken into the catalogues of translations by the names of the next functions, so
# they are written out in their calls: no variables, no f-strings.


def message(code: str, template: Template, /, **values: Value) -> Message:
    """The message of this code; its {names} are the values'."""
    if isinstance(template, str):
        return Message(code, template, values)
    return Message(code, template.singular, values, template.plural)


def counted(singular: str, plural: str) -> Counted:
    """The template of a message whose values have a `count`."""
    return Counted(singular, plural)


def foreign(text: str) -> Message:
    """A text that is not ours, which is shown as it is in every language."""
    return Message("", text)


def list_lines(parts: "Iterable[Value]") -> Message:
    """The parts, each on a line of its own."""
    return Message("", "{lines}", {"lines": join(parts, "\n")})


def list_sentences(parts: "Iterable[Message]") -> Message:
    """The sentences one after the other."""
    return Message("", "{sentences}", {"sentences": join(parts, " ")})


def as_message(text: Message | str) -> Message:
    """The message itself, or the one of a foreign text."""
    return text if isinstance(text, Message) else foreign(text)


def join(parts: Iterable[Value], separator: str = ", ") -> Joined:
    """The parts as one value of a message."""
    return Joined(tuple(parts), separator)


def from_json(document: object, depth: int = MAX_STORED_DEPTH) -> Message | None:
    """The message of `to_json`; None where it is none, since other programs write what is stored."""
    match document:
        case {"code": str(code), "template": str(template), "values": Mapping() as stored}:
            values = {str(name): _read_value(value, depth) for name, value in stored.items()}
            plural = document.get("plural")  # type: ignore[attr-defined]
            return Message(code, template, values, plural if isinstance(plural, str) else "")
    return None


def _english(text: Message) -> str:
    is_plural = text.plural and text.values.get("count") != 1
    return text.plural if is_plural else text.template


def _show(value: Value, find_template: Callable[[Message], str]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Message):
        return value.render(find_template)
    if isinstance(value, Joined):
        return value.separator.join(_show(part, find_template) for part in value.parts)
    return f"{value:,}"


def _size(value: Value) -> int:
    if isinstance(value, Message):
        return value.size()
    if isinstance(value, Joined):
        return sum(_size(part) + len(value.separator) for part in value.parts)
    return len(str(value)) * (2 if isinstance(value, int) else 1)


def _value_to_json(value: Value) -> Any:
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, Joined):
        parts = [_value_to_json(part) for part in value.parts]
        return {"parts": parts, "separator": value.separator}
    return value


def _read_value(value: object, depth: int) -> Value:
    if isinstance(value, Mapping) and depth:
        if read := from_json(value, depth - 1):
            return read
        match value:
            case {"parts": list(parts), "separator": str(separator)}:
                return Joined(tuple(_read_value(part, depth - 1) for part in parts), separator)
    return value if isinstance(value, int) else str(value)
