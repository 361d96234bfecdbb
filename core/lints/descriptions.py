"""Advice on what agents read: the name and the description."""

import re
from collections.abc import Collection, Iterator, Mapping

from core.execution import TOOL_NAME
from core.languages import missing_languages
from core.lints.advice import Advice, problem, suggestion, warning
from core.retrieval.tokens import language_of
from core.tokens import estimate_tokens
from core.toolspec import ToolSpec

SHORT_DESCRIPTION = 36
DESCRIPTION_TOKENS = 400
_GOOD_NAME = re.compile(r"[a-z][a-z0-9_]{2,63}")
# One character of these scripts says as much as about two letters.
_DENSE = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_HIDDEN = re.compile(
    "[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]"
    "|[\U000e0000-\U000e007f]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_COMMENT = re.compile(r"<!--|<\s*(?:important|system|instructions?)\s*>", re.IGNORECASE)
_ORDERS = re.compile(
    r"ignore (?:all |any )?(?:previous|prior|other) |do not tell the user|system prompt",
    re.IGNORECASE,
)
_SAYS_WHEN = re.compile(
    r"\b(?:use (?:it|this|when|for|to|only)|when(?:ever)?|for questions|call (?:it|this))\b"
    r"|사용하세요|때 (?:사용|호출|쓰)|경우에?|使って|使い|使う|使用|するとき|場合",
    re.IGNORECASE,
)


class Neighbours:
    """The other tools that an agent may see beside one; made once for many."""

    def __init__(self, descriptions: Mapping[str, str]) -> None:
        """`descriptions` are by name; the tool itself may be among them."""
        self._by_name: dict[str, list[str]] = {}
        self._by_description: dict[str, list[str]] = {}
        for name, description in descriptions.items():
            self._by_name.setdefault(fold_name(name), []).append(name)
            self._by_description.setdefault(_fold_text(description), []).append(name)

    def alike(self, name: str) -> list[str]:
        """Other names that differ from this one by case, separators or a plural."""
        return [other for other in self._by_name.get(fold_name(name), ()) if other != name]

    def described_as(self, name: str, description: str) -> list[str]:
        """Names of other tools with this description."""
        found = self._by_description.get(_fold_text(description), ())
        return [other for other in found if other != name]


def advise_on_name(spec: ToolSpec, others: Neighbours) -> Iterator[Advice]:
    """What is wrong with the name."""
    name = spec.name
    if not TOOL_NAME.fullmatch(name):
        yield problem(
            "name_invalid",
            "A name has 1 to 64 letters, digits, underscores or hyphens, as in sales_by_region.",
        ).at("name")
    elif not _GOOD_NAME.fullmatch(name):
        yield suggestion(
            "name_pattern",
            "Names of small letters, digits and underscores, 3 to 64 of them, work with every client.",
        ).at("name")
    for other in others.alike(name):
        yield warning(
            "name_alike", "{other} is nearly the same name; agents mix them up.", other=other
        ).at("name")


def advise_on_description(spec: ToolSpec, others: Neighbours) -> Iterator[Advice]:
    """What is wrong with the description."""
    text = spec.description.strip()
    if not text:
        yield problem(
            "description_missing",
            "There is no description; agents choose a tool by its description.",
        ).at("description")
        return
    if len(text) + len(_DENSE.findall(text)) < SHORT_DESCRIPTION:
        yield warning(
            "description_short",
            "The description is very short; say what comes back, of which period, in which unit.",
        ).at("description")
    if (tokens := estimate_tokens(text)) > DESCRIPTION_TOKENS:
        yield suggestion(
            "description_long",
            "The description takes about {tokens} tokens of every conversation; {limit} are plenty.",
            tokens=tokens,
            limit=DESCRIPTION_TOKENS,
        ).at("description")
    if not _SAYS_WHEN.search(text):
        yield suggestion(
            "description_when",
            "The description does not say when to use the tool, and when to use another one.",
        ).at("description")
    yield from _judge_hidden(text)
    for other in others.described_as(spec.name, text):
        yield warning(
            "description_equal",
            "{other} has the same description; agents cannot tell the two apart.",
            other=other,
        ).at("description")


def advise_on_languages(spec: ToolSpec, expected: Collection[str]) -> Iterator[Advice]:
    """What is wrong with the descriptions in other languages than that of the default text."""
    for parts in (spec.descriptions, *(row.descriptions for row in spec.parameters)):
        for _language, text in parts:
            yield from _judge_hidden(text)
    own = language_of(spec.description)
    others = [language for language in expected if language != own]
    for language, names in missing_languages(spec, others).items():
        parameters = ", ".join(filter(None, names))
        if "" in names:
            advice = suggestion(
                "description_language",
                "The description is given in several languages, but not in {language}.",
                language=language,
            )
        else:
            advice = suggestion(
                "parameters_language",
                "The description is given in {language}; those of {names} are not.",
                language=language,
                names=parameters,
            )
        yield advice.at("description")


def _judge_hidden(text: str) -> Iterator[Advice]:
    if hidden := _HIDDEN.search(text):
        yield warning(
            "description_hidden",
            "The description holds an invisible character ({character}); remove it.",
            character=f"U+{ord(hidden[0]):04X}",
        ).at("description")
    if order := _COMMENT.search(text) or _ORDERS.search(text):
        yield warning(
            "description_orders",
            "“{text}” reads like an order to the agent; careful clients refuse such tools.",
            text=order[0].strip(),
        ).at("description")


def _fold_text(text: str) -> str:
    return text.strip().casefold()


def fold_name(name: str) -> str:
    """What names have in common that differ by case, separators or a plural."""
    return name.casefold().replace("_", "").replace("-", "").removesuffix("s")
