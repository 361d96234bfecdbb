"""Typed values out of the loose JSON of a case, with the place of a fault in its text."""

from collections.abc import Collection
from typing import Any

from core.errors import DefinitionError
from core.messages import Message, Value, join, message
from core.toolspec import JsonValue


class CaseFields:
    """The fields of a JSON object; `place` names the object in errors. Each getter raises DefinitionError."""

    def __init__(self, value: JsonValue, place: str, names: Collection[str]) -> None:
        self.place = place
        if not isinstance(value, dict):
            raise self.fault(message("case.no_object", "must be an object"))
        if unknown := sorted(str(name) for name in value if name not in names):
            raise self.fault(
                message(
                    "case.unknown_field",
                    "{name} is no field of it; there are {names}",
                    name=unknown[0][:60],
                    names=", ".join(names),
                )
            )
        self._fields: dict[str, Any] = value

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._fields

    def any(self, name: str) -> JsonValue:
        """The field, or None if it is not there."""
        return self._fields.get(name)

    def text(self, name: str, limit: int = 1_000, *, default: str | None = None) -> str:
        """A text of at most so many characters; it may be left out, or be empty, if it has a default."""
        value = self._fields.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.fault(message("case.text", "must be a text"), name)
        if len(value) > limit:
            raise self.fault(
                message("case.text_long", "must have at most {limit} characters", limit=limit), name
            )
        return value

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number from 0 to two thousand million."""
        value = self._fields.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
            raise self.fault(message("case.whole", "must be a whole number from 0"), name)
        return value

    def choice(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        """One of the texts."""
        value = self._fields.get(name, default)
        if not isinstance(value, str) or value not in choices:
            allowed = join(choices)
            text = message("case.choice", "must be one of {allowed}", allowed=allowed)
            raise self.fault(text, name)
        return value

    def object(self, name: str) -> dict[str, JsonValue]:
        """An object with text keys, empty if it is not there."""
        value = self._fields.get(name, {})
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self.fault(message("case.no_object", "must be an object"), name)
        return value

    def list(self, name: str, limit: int) -> list[JsonValue]:
        """A list of at most so many, empty if it is not there."""
        value = self._fields.get(name, [])
        if not isinstance(value, list) or len(value) > limit:
            raise self.fault(
                message("case.list", "must be a list of at most {limit}", limit=limit), name
            )
        return value

    def fault(self, reason: Value, name: str = "") -> DefinitionError:
        """The error of a field, or of the object itself."""
        place = ".".join(part for part in (self.place, name) if part)
        text: Message = message("case.fault", "{place}: {reason}", place=place, reason=reason)
        return DefinitionError(text)
