"""Whether a query wants to read, to write or to delete, by the words that it uses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.retrieval.action_words import JAPANESE, KOREAN, Action, split_words
from core.retrieval.actions import READING, actions_of_query
from core.retrieval.phrases import PhraseTable
from core.retrieval.tokens import fold


@dataclass(frozen=True, slots=True)
class QueryIntent:
    """Shares of reading, writing and deleting, 0 to 1, that make 1 together; all 0 is no opinion."""

    read_intent: float = 0.0
    write_intent: float = 0.0
    delete_intent: float = 0.0

    @property
    def is_neutral(self) -> bool:
        return not (self.read_intent or self.write_intent or self.delete_intent)

    @property
    def only_reads(self) -> bool:
        """Whether nothing but reading is asked for; so it is where no action is known at all."""
        return not (self.write_intent or self.delete_intent)


SEED_WORDS = {
    "read": "get, list, show, read, fetch, search, find, view, query, lookup, check,"
    " 조회, 목록, 보기, 검색, 확인, 찾기",
    "write": "create, add, update, modify, edit, set, put, post, write, save,"
    " 생성, 추가, 수정, 변경, 등록, 저장",
    "delete": "delete, remove, destroy, drop, purge, erase, cancel, terminate,"
    " 삭제, 제거, 취소, 해제, 폐기",
}


def _intent_of(action: Action) -> str:
    if action in READING:
        return "read"
    return "delete" if action == "delete" else "write"


def _natural_words() -> Iterator[tuple[str, str]]:
    for table in (KOREAN, JAPANESE):
        for action, words in table.items():
            yield from ((fold(word), _intent_of(action)) for word in split_words(words))


def _seed_words(words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for intent, line in words.items():
        yield from ((fold(word), intent) for word in split_words(line))


_SEED = PhraseTable(dict.fromkeys(_seed_words(SEED_WORDS)))
_NATURAL = PhraseTable(dict.fromkeys((*_seed_words(SEED_WORDS), *_natural_words())))


def classify_intent(query: str, *, seed_words_only: bool = False) -> QueryIntent:
    """The share of each intent among the known words of a query; neutral when it has none.

    English words count as written, Korean and Japanese ones wherever they stand.
    `seed_words_only` leaves out Japanese and whatever Korean the first table did not have.
    """
    table = _SEED if seed_words_only else _NATURAL
    return _share(Counter(match.label for match in table.find(fold(query))))


def decide_intent(query: str) -> QueryIntent:
    """The intent of what the query asks to be done, where writing and deleting outrank reading.

    "Find the order and cancel it" wants to delete; "show deleted users" to read.
    """
    return intent_of_actions(actions_of_query(fold(query)))


def intent_of_actions(actions: Iterable[Action]) -> QueryIntent:
    """The intent of actions that are asked for, where writing and deleting outrank reading."""
    hits = Counter(map(_intent_of, actions))
    if hits["write"] or hits["delete"]:
        hits["read"] = 0
    return _share(hits)


def _share(hits: Counter[str]) -> QueryIntent:
    total = hits.total()
    if not total:
        return QueryIntent()
    return QueryIntent(hits["read"] / total, hits["write"] / total, hits["delete"] / total)
