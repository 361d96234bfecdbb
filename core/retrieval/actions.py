"""What tools do and queries ask for, as terms that mean the same in every language."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from core.retrieval.action_words import (
    ACTIONS,
    DESCRIPTIVE,
    DETERMINERS,
    ENGLISH,
    JAPANESE,
    JOINING,
    KOREAN,
    NOT_AFTER,
    NOT_BEFORE,
    PARTICIPLES,
    RECORDS,
    RECORDS_ENGLISH,
    THINGS,
    THINGS_TOO,
    Action,
    split_words,
)
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.phrases import Match, PhraseTable
from core.retrieval.tokens import ACTION_MARK, fold, stem_word

Kind = Literal["read", "write", "delete"]
READING: frozenset[Action] = frozenset({"list", "read"})

_JOINT = re.compile(r"(?:^|\s)(?:and|then|or|also|to|please)$")
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_NOT_BEFORE = re.compile(rf"\b(?:{'|'.join(split_words(NOT_BEFORE))})$")
_STATE_BEFORE = re.compile(
    r"(?:[가-힣]{2}(?:된|한)|(?:された|した|している|済みの|済の|中の)|미[가-힣]{2}|未[ぁ-ん一-龥]{1,3}の)\s?\S*\s?$"
)
_NOUN_AFTER = re.compile(rf"(?:{'|'.join(split_words(DETERMINERS))})$")
_RECORD_AFTER = re.compile(rf" (?:{'|'.join(split_words(RECORDS_ENGLISH))})\b")
_NOT_AFTER = tuple(split_words(NOT_AFTER))
# The end of a duplicate's name, as the editor gives it: sales_by_week_copy, sales_by_week_copy_2.
_COPY_NUMBER = re.compile(r" copy(?: \d+)?$")
# The label of phrases that name no action, and hide the action words within them.
_THING = ""
# The verb of a description is at its beginning; what comes later are circumstances.
_OPENING_WORDS = 8


def _phrases(tables: Iterable[Mapping[Action, str]]) -> Iterator[tuple[str, str]]:
    yield from ((fold(thing), _THING) for thing in split_words(THINGS))
    for table in tables:
        for action, words in table.items():
            yield from ((fold(word), action) for word in split_words(words))


_REQUESTS = PhraseTable(_phrases((ENGLISH, KOREAN, JAPANESE)))
# Descriptions say "Lists", "creates", "Deleting": forms of the same words.
_DESCRIPTIONS = PhraseTable(_phrases((ENGLISH, KOREAN, JAPANESE, DESCRIPTIVE)), stem_word)


def find_actions(folded: str) -> list[Match]:
    """Every action word of a folded text, in its order."""
    return _find(_REQUESTS, folded)


def actions_of_query(folded: str, matches: Iterable[Match] | None = None) -> tuple[Action, ...]:
    """What a folded query asks for; nothing when it names no action.

    `matches` are its action words, where they were found already.
    English asks with its first verb, Korean and Japanese with the last, and with those joined to it;
    not with those that only describe a thing or are part of its name, as in 삭제된 사용자 or 支払い履歴.
    """
    found = [
        match
        for match in (find_actions(folded) if matches is None else matches)
        # Not what is denied.
        if not folded[match.end :].lstrip().startswith(_NOT_AFTER)
        and not _NOT_BEFORE.search(folded[: match.start].rstrip())
        and not _names_record(folded, match)
    ]
    asking = [match for match in found if not folded.startswith(PARTICIPLES, match.end)]
    if asking and _is_described_thing(folded, asking[-1]):
        asking.pop()
    return _named([*_leading(folded, found), *_asking(folded, asking)])


def _names_record(folded: str, match: Match) -> bool:
    """Whether a word of writing is a noun here: of a record of what was done, or with an article."""
    if match.label in READING:
        return False
    if folded[match.start].isascii():
        before, after = folded[: match.start].rstrip(), folded[match.end :]
        return bool(_RECORD_AFTER.match(after) or _NOUN_AFTER.search(before.rpartition(" ")[2]))
    # 支払い is 支払 too.
    return folded[match.end :].lstrip(" い").startswith(RECORDS)


def _is_described_thing(folded: str, match: Match) -> bool:
    """Whether a word of writing ends the query, and words before it say in which state the thing is."""
    is_thing = folded[match.start : match.end] in THINGS_TOO and match.end == len(folded)
    return is_thing and _STATE_BEFORE.search(folded[: match.start]) is not None


def actions_of_tool(tool: Tool) -> tuple[Action, ...]:
    """What a tool does: by the first verb of its name, else of its description, else its annotations.

    A name that ends in `_copy`, or in `_copy_2`, is a duplicate's and does not say that the tool copies.
    """
    actions = _actions_of_texts(tool.name, tool.description)
    if actions or tool.annotations is None:
        return actions
    if tool.annotations.read_only:
        return ("list", "read")
    return ("delete",) if tool.annotations.destructive else ()


def kind_of_tool(tool: Tool) -> Kind:
    """Whether a tool reads, writes or deletes: as it says itself, else by its actions.

    A tool of which nothing is known counts as one that writes, so as not to pass for harmless.
    """
    hints = tool.annotations or MCPAnnotations()
    if hints.read_only or hints.destructive:
        return "read" if hints.read_only else "delete"
    actions = set(actions_of_tool(tool))
    if "delete" in actions and hints.destructive is None:
        return "delete"
    only_reads = bool(actions) and actions <= READING
    return "read" if only_reads and hints.read_only is None else "write"


def action_tokens(actions: Iterable[Action]) -> list[str]:
    """Actions as terms of the index, such as §delete."""
    return [ACTION_MARK + action for action in actions]


def action_spans(folded: str) -> Iterator[tuple[str, int, int]]:
    """Every action word of a folded text as a term of the index, with its start and end."""
    for match in find_actions(folded):
        yield ACTION_MARK + match.label, match.start, match.end


# Called several times while one tool is taken into the index.
@lru_cache(maxsize=16)
def _actions_of_texts(name: str, description: str) -> tuple[Action, ...]:
    folded = _COPY_NUMBER.sub("", fold(name))
    found = find_actions(folded)
    if actions := _named(_leading(folded, found) or _asking(folded, found)):
        return actions
    sentence = _SENTENCE_END.split(description.strip(), maxsplit=1)[0]
    folded = fold(sentence[:400])
    opening = " ".join(folded.split(" ")[:_OPENING_WORDS])
    asking = _asking(folded, _find(_DESCRIPTIONS, folded))
    if asking:
        # The verb ends a Korean or Japanese sentence.
        return _named(match for match in asking if match.end == asking[-1].end)
    return _named(_leading(opening, _find(_DESCRIPTIONS, opening)))


def _find(table: PhraseTable, folded: str) -> list[Match]:
    return [match for match in table.find(folded) if match.label != _THING]


def _leading(folded: str, found: Sequence[Match]) -> list[Match]:
    """The first English verb and those joined to it."""
    worded = [match for match in found if folded[match.start].isascii()]
    return [
        match
        for match in worded
        if match.start == worded[0].start or _JOINT.search(folded[: match.start].rstrip())
    ]


def _asking(folded: str, found: Sequence[Match]) -> list[Match]:
    """The last Korean or Japanese action word, where the verb is, and those joined to it.

    Those that only describe a thing count if there are no others.
    """
    written = [match for match in found if not folded[match.start].isascii()]
    asking = [match for match in written if not folded.startswith(PARTICIPLES, match.end)]
    return [
        match
        for match in asking or written
        if match.end == (asking or written)[-1].end or folded.startswith(JOINING, match.end)
    ]


def _named(found: Iterable[Match]) -> tuple[Action, ...]:
    labels = {match.label for match in found}
    return tuple(action for action in ACTIONS if action in labels)
