"""The editor's form: what it posts as a working copy, whatever of it is there."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from django.conf import settings
from django.http import QueryDict

from core.charts import read_chart
from core.errors import DefinitionError
from core.messages import message
from core.toolspec import Binding, JsonValue, ParameterType
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.http_form import read_posted_fields, write_definition
from toolbuilder.editing.values import ABSENT, read_entry, read_value
from tools.definitions import MAX_INTEGER, MAX_PARAMETERS, ParameterDocument
from tools.models import RecordedArguments, ToolType
from tools.specs import HINTS

# As a type: the one that the logic asks for.
AUTO = "AUTO"
REQUIRED, OPTIONAL = "required", "optional"
_TEXTS = ("name", "title", "description_agent", "description_user", "definition", "result_format")
_NUMBERS = ("row_limit", "byte_limit", "timeout_ms")
_NUMBERS_OR_NONE = ("breaker_errors", "breaker_minutes", "plan_cost_limit")
_TAG_SEPARATOR = re.compile("[,;\n、\uff0c\uff1b]")


def read_form(data: QueryDict, current: DraftDocument) -> DraftDocument:
    """The working copy that the form says; fields that it leaves out stay as they are.

    Line ends are LF. `parameter` names the rows in their order, and the fields of each begin with that
    name and `-`. Raises DefinitionError for what could not even be kept.
    """
    form = _Form(data)
    given: dict[str, JsonValue] = {
        **{name: form.text(name) for name in _TEXTS if name in data},
        **{name: form.number(name) for name in _NUMBERS if name in data},
        **{
            name: form.number(name) if form.text(name).strip() else None
            for name in _NUMBERS_OR_NONE
            if name in data
        },
        **_read_choices(form),
    }
    if descriptions := form.texts_by_language("descriptions-"):
        given["descriptions"] = _put_texts(current.tool.descriptions, descriptions)
    if given.get("tool_type") == ToolType.HTTP and "http-method" in data:
        before = current.tool.definition if current.tool.tool_type == ToolType.HTTP else ""
        given["definition"] = write_definition(read_posted_fields(data), before)
        given["data_source"] = form.text("service") or None
    tool = current.tool.replace(**given)
    if "parameter" not in data:
        return replace(current, tool=tool)
    keys = list(dict.fromkeys(filter(None, data.getlist("parameter"))))
    if len(keys) > MAX_PARAMETERS:
        raise DefinitionError(
            message(
                "tool.too_many_parameters_kept",
                "a tool has at most {limit} parameters",
                limit=MAX_PARAMETERS,
            )
        )
    known = {row.param_name: row for row in current.tool.parameters}
    rows = [_Row(form, key, known) for key in keys]
    return DraftDocument(
        tool=tool.replace(parameters=tuple(row.parameter() for row in rows)),
        test_values={row.name: value for row in rows if (value := row.test_value()) is not ABSENT},
        auto_types=tuple(row.name for row in rows if row.is_auto),
        auto_presence=tuple(row.name for row in rows if row.has_auto_presence),
    )


class _Form:
    def __init__(self, data: QueryDict) -> None:
        self.data = data

    def text(self, name: str) -> str:
        return (self.data.get(name) or "").replace("\r\n", "\n").replace("\r", "\n")

    def texts_by_language(self, prefix: str) -> dict[str, str]:
        """The fields that are posted for the languages of descriptions."""
        names = {language: f"{prefix}{language}" for language in settings.AGENT_LANGUAGES}
        return {
            language: self.text(name).strip()
            for language, name in names.items()
            if name in self.data
        }

    def number(self, name: str) -> int:
        digits = self.text(name).strip().replace(",", "").replace("_", "")
        # What is no number becomes 0, which the check of limits refuses by name.
        is_number = digits.isascii() and digits.isdigit()
        return min(int(digits[:12]), MAX_INTEGER) if is_number else 0


def _put_texts(kept: JsonValue, given: Mapping[str, str]) -> JsonValue:
    """The texts by language with the given ones, of which empty ones are none."""
    texts = {**(kept if isinstance(kept, dict) else {}), **given}
    return {language: text for language, text in texts.items() if text}


def _read_choices(form: _Form) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    if "tool_type" in form.data:
        kind = form.text("tool_type")
        found["tool_type"] = kind if kind in ToolType.values else ToolType.SQL.value
    if "data_source" in form.data:
        found["data_source"] = form.text("data_source") or None
    if "record_arguments" in form.data:
        policy = form.text("record_arguments")
        found |= {"record_arguments": policy} if policy in RecordedArguments.values else {}
    if "chart" in form.data:
        found["chart"] = _read_chart(form.text("chart"))
    if "tags" in form.data:
        tags = (tag.strip() for tag in _TAG_SEPARATOR.split(form.text("tags")))
        found["tags"] = list(dict.fromkeys(filter(None, tags)))
    if any(f"annotation-{hint}" in form.data for hint in HINTS):
        given = {hint: form.text(f"annotation-{hint}") for hint in HINTS}
        found["annotations"] = {
            hint: text == "true" for hint, text in given.items() if text in {"true", "false"}
        }
    return found


def _read_chart(text: str) -> JsonValue:
    """The chart that the page's script wrote; '' is none."""
    try:
        return read_chart(json.loads(text) if text else None)
    except (ValueError, RecursionError):
        raise DefinitionError(
            message("tool.chart_no_object", "chart must be a JSON object")
        ) from None


class _Row:
    """One parameter's fields; those that are not posted stay as they were under that name."""

    def __init__(self, form: _Form, key: str, known: Mapping[str, ParameterDocument]) -> None:
        self._form, self._key = form, key
        self.name = self._text("name").strip()
        self._old = known.get(key) or known.get(self.name)
        chosen = self._text("type")
        self.is_auto = chosen in {AUTO, ""}
        was = self._old.param_type if self._old else ParameterType.STRING.value
        self._type_name = was if self.is_auto else chosen
        # What the page showed; another switch is somebody's choice.
        shown = REQUIRED if self._has("required") else OPTIONAL
        self.has_auto_presence = self._text("presence") == shown
        types = {kind.value: kind for kind in ParameterType}
        self._type = types.get(self._type_name.strip().upper(), ParameterType.STRING)

    def parameter(self) -> ParameterDocument:
        is_required, chosen = self._has("required"), self._text("binding")
        binding = chosen if chosen in list(Binding) else Binding.AGENT.value
        bound_value = self._value("bound_value") if binding == Binding.FIXED else None
        if binding == Binding.CLAIM:
            bound_value = self._text("bound_value").strip() or None
        return ParameterDocument(
            param_name=self.name,
            param_type=self._type_name,
            is_required=is_required,
            description=self._kept("description") or "",
            descriptions=_put_texts(
                self._old.descriptions if self._old else {},
                self._form.texts_by_language(f"{self._key}-descriptions-"),
            ),
            default=None if is_required else self._value("default"),
            nullable=self._has("nullable"),
            allowed_values=self._allowed_values(),
            minimum=(self._kept("minimum") or "").strip() or None,
            maximum=(self._kept("maximum") or "").strip() or None,
            pattern=self._kept("pattern") or None,
            example=self._value("example"),
            binding=binding,
            bound_value=bound_value,
        )

    def test_value(self) -> JsonValue:
        allowed = self._allowed_values()
        return read_entry(self._text("test"), self._text("test_state"), self._type, allowed)

    def _value(self, field: str) -> JsonValue:
        """The value of a field, None if nothing is typed."""
        text, state = self._text(field), self._text(f"{field}_state")
        old = getattr(self._old, field, None)
        # A text that nobody has changed is the very value, odd as it may be.
        written = self._type.kind.write_text(old).replace("\r\n", "\n")
        is_same = bool(text) and not state and text == written
        if (is_same and self._has_old_type) or not self._is_posted(field):
            return old
        value = read_entry(text, state, self._type, self._allowed_values())
        return None if value is ABSENT else value

    def _allowed_values(self) -> JsonValue:
        lines = [line.strip() for line in self._text("allowed_values").split("\n") if line.strip()]
        old = self._old.allowed_values if self._old else []
        write = self._type.kind.write_text
        is_same = isinstance(old, list) and lines == [write(value).strip() for value in old]
        if (is_same and self._has_old_type) or not self._is_posted("allowed_values"):
            return old
        takes_them = self._type.kind.takes_allowed_values
        kind = self._type if takes_them else ParameterType.STRING
        return [read_value(line, kind) for line in dict.fromkeys(lines)]

    @property
    def _has_old_type(self) -> bool:
        return self._old is not None and self._old.param_type == self._type_name

    def _is_posted(self, field: str) -> bool:
        return f"{self._key}-{field}" in self._form.data

    def _kept(self, field: str) -> str | None:
        if self._is_posted(field) or self._old is None:
            return self._text(field)
        kept: str | None = getattr(self._old, field)
        return kept

    def _text(self, field: str) -> str:
        return self._form.text(f"{self._key}-{field}")

    def _has(self, field: str) -> bool:
        return bool(self._text(field))
