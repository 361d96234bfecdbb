"""What columns are for (money, quantities, dates, names, keys), and which of them a question needs.

People say "revenue", "how many" or "since June"; the columns are called amount, qty and ordered_at. So a
role of a column is a term of the index, alone and with the concept that its table is about, as in
`¤money:order`. It is looked up like a concept.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.retrieval.tokens import CONCEPT_MARK, fold

Role = Literal["name", "date", "money", "quantity", "key"]
ROLES: tuple[Role, ...] = get_args(Role)

# The last word of a column's name says what it holds.
_NAME_ENDINGS: Mapping[Role, str] = {
    "name": "name nm title label",
    "date": "at on date day dt time month year ts datetime",
    "money": "amount amt price cost total revenue fee sales value salary budget",
    "quantity": "qty quantity count cnt units num",
}
_NAMED = {word: role for role, words in _NAME_ENDINGS.items() for word in words.split()}
_DESCRIBED: Mapping[Role, re.Pattern[str]] = {
    "name": re.compile(r"\bname\b|명$|이름|名$|名称|氏名"),
    "date": re.compile(r"\bdate\b|\btime of\b|\bday\b|\bwhen\b|timestamp|일시|일자|날짜|일$|日時|日付|日$"),
    "money": re.compile(r"amount|price|cost|fee|revenue|spend|금액|가격|단가|비용|金額|価格|定価|単価|費|料"),
    "quantity": re.compile(r"number of|quantity|units|수량|개수|건수|횟수|数量|個数|件数"),
}  # fmt: skip
# The beginning says what it is; what follows are circumstances.
_DESCRIPTION_CHARACTERS = 80

_TIMES = frozenset(
    ("date", "day", "week", "month", "quarter", "year", "period", "hour", "latest", "upcoming")
)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:since|before|after|until|today|yesterday|last|overdue|late|recent\w*)\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|언제|날|일째|월(?:에|의|부터|까지| )|올해|작년|지난|이번|오늘|어제|요일"
    r"|いつ|日|月|年|週|夏|冬"
)
# Of measures that have no column of their own: the things whose amounts they add up.
_MEASURED: Mapping[str, tuple[str, ...]] = {
    "revenue": ("order", "transaction", "cart"),
    "profit": ("order",),
    "margin": ("order",),
    "refund": ("refund", "return"),
    **dict.fromkeys(("cost", "price", "budget", "ad_spend", "expense_claim", "salary"), ()),
}
_EARNED = frozenset(("revenue", "profit", "margin"))
_OF_MEASURES: tuple[Role, ...] = ("money", "date")
_HOW_MUCH = re.compile(r"how much|money|spent|spend|\btotal\b|얼마|금액|매출|いくら|金額|売上")
_HOW_MANY = re.compile(
    r"how many|number of|count|몇 ?(?:개|건|명|번|대)|얼마나|수량|개수|건수"
    r"|何(?:個|件|人|回|点|本|枚)|いくつ|数$|数は|数を"
)


@dataclass(frozen=True, slots=True)
class QuestionNeeds:
    """What a question needs: terms of columns, of tables that it names and of any table.

    `counts`: it asks for a number of things; `earned`: for revenue, profit or margin.
    """

    named: Sequence[str]
    anywhere: Sequence[str]
    counts: bool
    earned: bool


def find_roles(name: str, description: str, *, is_key: bool) -> list[Role]:
    """The roles of a column, by the last word of its name and the beginning of its description."""
    last = fold(name).rpartition(" ")[2]
    text = description[:_DESCRIPTION_CHARACTERS].casefold()
    found = {role for role, pattern in _DESCRIBED.items() if pattern.search(text)}
    found |= {_NAMED[last]} if last in _NAMED else set()
    return [role for role in ROLES if role in found or (is_key and role == "key")]


def role_terms(roles: Collection[Role], concepts: Collection[str]) -> list[str]:
    """The terms of a column with these roles, of a table that is about these concepts."""
    alone = [_term(role) for role in roles]
    return alone + [_term(role, concept) for role in roles for concept in concepts]


def find_needs(question: str, concepts: Collection[str]) -> QuestionNeeds:
    """What a question that names these concepts needs.

    Things are called by name. A time needs a date, a measure its amount with a date, a number a
    quantity or the key that is counted.
    """
    text = question.casefold()
    counts = bool(_HOW_MANY.search(text))
    measures = [concept for concept in concepts if concept in _MEASURED]
    things = [thing for measure in measures for thing in _MEASURED[measure]]
    named = [_term("name", concept) for concept in concepts]
    named += [_term(role, thing) for thing in things for role in _OF_MEASURES]
    anywhere: list[str] = []
    if measures or _HOW_MUCH.search(text):
        anywhere.append(_term("money"))
        named += [_term("money", concept) for concept in concepts]
    if not _TIMES.isdisjoint(concepts) or _WHEN.search(text):
        anywhere.append(_term("date"))
        named += [_term("date", concept) for concept in concepts]
    if counts:
        anywhere.append(_term("quantity"))
        counted = [*concepts, *(("order", "order_line") if "revenue" in concepts else ())]
        named += [_term("quantity", concept) for concept in counted]
        named += [_term("key", concept) for concept in concepts]
    return QuestionNeeds(named, anywhere, counts, not _EARNED.isdisjoint(concepts))


def _term(role: Role, concept: str = "") -> str:
    return f"{CONCEPT_MARK}{role}:{concept}"
