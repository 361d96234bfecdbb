"""Reading what a model answers: JSON and SQL, with fences, prose and thoughts around them."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.genai import types
from pydantic import BaseModel, Field, ValidationError, field_validator

_CHARACTER_LIMIT = 50_000
_STARTS_LIMIT = 100
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w+-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_STATEMENT = re.compile(
    r"^[ \t(]*(?:SELECT|WITH|VALUES|TABLE|EXPLAIN|INSERT|UPDATE|DELETE|MERGE|DROP|CREATE|ALTER|TRUNCATE)\b",
    re.IGNORECASE | re.MULTILINE,
)
_LITERAL = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
_LITERAL_OR_END = re.compile(rf"(?:{_LITERAL})|(?P<end>;)", re.DOTALL)
# What follows a blank line and reads like a sentence is about the statement, not of it.
_PROSE = re.compile(
    r"\n[ \t]*\n[ \t]*(?:[^\n]*[.!?。:：][ \t]*(?:\n|\Z)|[*#>]|(?:note|this|the|here|explanation)\b).*\Z",
    re.DOTALL | re.IGNORECASE,
)
_BLANKS = {0xA0: " ", 0x202F: " ", 0x2007: " ", 0x3000: " ", 0x200B: "", 0x2060: "", 0xFEFF: ""}


class ColumnNames(BaseModel):
    """What a question asks for, in its own words.

    `request` is "read", "write" for a wish to change data, or "other"; `whole_question` restates a
    question that follows on; `ask` is what the model has to know first.
    """

    request: str = "read"
    whole_question: str = ""
    ask: str = ""
    requested_entity: str = ""
    requested_columns: list[str] = Field(default_factory=list)
    conditional_columns: list[str] = Field(default_factory=list)
    inferred_columns: list[str] = Field(default_factory=list)

    @field_validator("requested_entity", "request", "whole_question", "ask", mode="before")
    @classmethod
    def _to_text(cls, value: object) -> str:
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")

    @field_validator("requested_columns", "conditional_columns", "inferred_columns", mode="before")
    @classmethod
    def _to_list(cls, value: object) -> list[str]:
        items = value if isinstance(value, list) else [value]
        texts = (str(item).strip() for item in items if isinstance(item, str | int | float))
        return list(dict.fromkeys(text for text in texts if text))

    def names(self) -> list[str]:
        """All names of the three lists, each once."""
        lists = (self.requested_columns, self.conditional_columns, self.inferred_columns)
        return list(dict.fromkeys(name for names in lists for name in names))


class StandardColumn(BaseModel):
    """A word of the question and the real column that it means; `table` has its schema if that is known."""

    keyword: str = ""
    table: str
    column: str


def reply_text(content: types.Content | None) -> str:
    """The words of a model's answer, without its thoughts."""
    parts = (content.parts if content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return _THOUGHT.sub("", text[:_CHARACTER_LIMIT]).strip()


def calls_tool(content: types.Content | None) -> bool:
    """Whether the answer is, or has in it, a call of a tool."""
    parts = (content.parts if content else None) or []
    return any(part.function_call for part in parts)


def read_column_names(text: str) -> ColumnNames | None:
    """The first JSON object with one of the four keys, or None."""
    for item in _find_json(text, "{"):
        if isinstance(item, dict) and (keys := ColumnNames.model_fields.keys() & item.keys()):
            return ColumnNames.model_validate({key: item[key] for key in keys})
    return None


def read_standard_columns(text: str) -> list[StandardColumn]:
    """The columns of the first JSON list that has any, or of an object that holds the list."""
    for found in _find_json(text, "[{"):
        if columns := to_standard_columns(found):
            return columns
    return []


def read_missing(text: str) -> list[str]:
    """The words of the question for which the model found no column."""
    found = (item for item in _find_json(text, "{") if isinstance(item, dict))
    missing: object = next((item["missing"] for item in found if "missing" in item), [])
    items = missing if isinstance(missing, list) else [missing]
    return [str(item).strip() for item in items if str(item).strip()]


def read_ask(text: str) -> str:
    """What the model asks back, "" if nothing."""
    found = (item for item in _find_json(text, "{") if isinstance(item, dict))
    return next((str(item["ask"] or "").strip() for item in found if "ask" in item), "")


def to_standard_columns(given: object) -> list[StandardColumn]:
    """The entries that name a table and a column; others are left out."""
    if isinstance(given, str):
        return read_standard_columns(given)
    if isinstance(given, dict):
        lists = [
            value for key, value in given.items() if isinstance(value, list) and key != "missing"
        ]
        given = lists[0] if lists else [given]
    entries = given if isinstance(given, list) else []
    return [column for entry in entries if (column := _to_standard_column(entry))]


def find_forgotten_names(column_names: str, columns: Sequence[StandardColumn]) -> list[str]:
    """Names to show or to filter by that no column is mapped from; `column_names` is JSON of the state.

    What is counted, the entity, may have no column of its own, nor may what only names a mapped table.
    """
    names = read_column_names(column_names)
    if names is None:
        return []
    mapped = [keyword for column in columns if (keyword := _plain(column.keyword))]
    tables = " ".join(_plain(column.table.replace("_", "")) for column in columns)
    wanted = dict.fromkeys([*names.requested_columns, *names.conditional_columns])
    return [
        name
        for name in wanted
        if name != names.requested_entity
        and not any(_plain(name) in keyword or keyword in _plain(name) for keyword in mapped)
        and (name in names.conditional_columns or _plain(name) not in tables)
    ]


def find_conditions(column_names: str, columns: Iterable[StandardColumn]) -> list[StandardColumn]:
    """The columns that the question filters by."""
    names = read_column_names(column_names)
    conditions = [_plain(name) for name in names.conditional_columns] if names else []
    return [
        column
        for column in columns
        if (keyword := _plain(column.keyword)) and any(keyword == name for name in conditions)
    ]


def _plain(name: str) -> str:
    return "".join(name.casefold().split())


def read_sql(text: str) -> str:
    """The statement in a model's answer, without fence, prose and exotic blanks; "" if there is none."""
    text = sanitize_blanks(_THOUGHT.sub("", text[:_CHARACTER_LIMIT]))
    for block in (*_FENCE.findall(text), text):
        if start := _STATEMENT.search(block):
            statement: str = block[start.start() :]
            ends = (match.start() for match in _LITERAL_OR_END.finditer(statement) if match["end"])
            end = next(ends, None)
            if end is None:
                statement = _PROSE.sub("", statement).split("```")[0]
            if statement := statement[:end]:
                return statement.strip()
    return ""


def sanitize_blanks(text: str) -> str:
    """The text with no-break and ideographic spaces as plain ones, and without invisible characters."""
    return text.translate(_BLANKS)


def _to_standard_column(entry: object) -> StandardColumn | None:
    if not isinstance(entry, dict):
        return None
    texts = {key: str(value).strip() for key, value in entry.items() if isinstance(value, str)}
    if "table" not in texts and "." in texts.get("column", ""):
        texts["table"], _, texts["column"] = texts["column"].rpartition(".")
    try:
        column = StandardColumn.model_validate(texts)
    except ValidationError:
        return None
    return column if column.table and column.column else None


def _find_json(text: str, openers: str) -> Iterator[Any]:
    """The JSON values that begin with one of the characters, outermost first, in order of the text."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_STARTS_LIMIT):
        starts = [at for opener in openers if (at := text.find(opener, position)) >= 0]
        if not starts:
            return
        position = min(starts)
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        yield value
