"""Values that a question names and a column's description lists: regions, grades, statuses."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.agents.demo_llm.schema import Column
from tests.agents.demo_llm.words import normalize

# ISO 3166 codes as columns hold them, by the countries' names in questions.
_COUNTRIES = {
    "KR": ("한국", "대한민국", "韓国", "korea", "korean"),
    "JP": ("일본", "日本", "japan", "japanese"),
    "US": ("미국", "アメリカ", "米国", "usa", "america", "american", "united states"),
    "CN": ("중국", "中国", "china", "chinese"),
    "DE": ("독일", "ドイツ", "germany", "german"),
    "FR": ("프랑스", "フランス", "france", "french"),
}
_CODE = re.compile(r"\b[A-Z][A-Z0-9]{1,}\b")
_CODE_AND_NAME = re.compile(r"\b([A-Z]{2,}) ([\u30a0-\u30ff\u4e00-\u9fff가-힣]+)")
_LIST = re.compile(r"[:：] *((?:[a-z_]+(?:, *|、)){1,}[a-z_]+)")
_NOT_VALUES = frozenset({"NULL", "ID", "JSON", "IANA", "UUID", "SKU", "MCP", "URL"})


@dataclass(frozen=True)
class Hit:
    """`phrase` of the question means that `column` holds `value`."""

    phrase: str
    column: Column
    value: str


def find_values(question: str, columns: Iterable[Column]) -> list[Hit]:
    """Every listed value, or example, that the question names; the longest phrases first."""
    text = normalize(question)
    hits = [
        Hit(phrase, column, value)
        for column in columns
        for phrase, value in _phrases(column)
        if _is_named(normalize(phrase), text)
    ]
    return sorted(hits, key=lambda hit: -len(hit.phrase))


def _phrases(column: Column) -> Iterator[tuple[str, str]]:
    if column.is_number or column.is_date or column.type.startswith("json"):
        return
    for value in _listed(column.description):
        yield value, value
        yield from ((name, value) for name in _COUNTRIES.get(value, ()))
    for value, name in _CODE_AND_NAME.findall(column.description):
        yield name, value
    if len(column.example) > 2 and column.example not in ("true", "false"):
        yield column.example, column.example


def _listed(description: str) -> Iterator[str]:
    yield from (code for code in _CODE.findall(description) if code not in _NOT_VALUES)
    for names in _LIST.findall(description):
        yield from re.split(r", *|、", names)


def _is_named(phrase: str, text: str) -> bool:
    if phrase.isascii():
        return re.search(rf"(?<![a-z0-9_]){re.escape(phrase)}(?![a-z0-9_])", text) is not None
    return phrase in text
