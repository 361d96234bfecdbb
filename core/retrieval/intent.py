"""Whether a query wants to read, to write or to delete, and how well a tool's annotations fit that."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.retrieval.action_words import JAPANESE, KOREAN, Action, split_words
from core.retrieval.actions import READING
from core.retrieval.model import MCPAnnotations
from core.retrieval.phrases import PhraseTable
from core.retrieval.tokens import fold

# The score of annotations that neither fit nor fail.
NEUTRAL = 0.5
_READS = {True: 1.0, False: 0.3, None: NEUTRAL}
_WRITES = {True: 0.0, False: 1.0, None: NEUTRAL}
_DELETES = {True: 1.0, False: 0.1, None: NEUTRAL}


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
        """Whether the query asks for reading alone, or for no known action."""
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


_SEED_LINES = list(SEED_WORDS.items())
_NATURAL_LINES = [
    (_intent_of(action), line) for table in (KOREAN, JAPANESE) for action, line in table.items()
]


def _phrase_table(lines: Iterable[tuple[str, str]]) -> PhraseTable:
    phrases = ((fold(word), intent) for intent, line in lines for word in split_words(line))
    return PhraseTable(dict.fromkeys(phrases))


_SEED = _phrase_table(_SEED_LINES)
_NATURAL = _phrase_table((*_SEED_LINES, *_NATURAL_LINES))


def classify_intent(query: str, *, seed_words_only: bool = False) -> QueryIntent:
    """The share of each intent among the known words of a query; neutral when it has none.

    English words count as written, Korean and Japanese ones also within words.
    `seed_words_only` leaves out Japanese and whatever Korean the first table did not have.
    """
    table = _SEED if seed_words_only else _NATURAL
    return _share(Counter(match.label for match in table.find(fold(query))))


def intent_of_actions(actions: Iterable[Action]) -> QueryIntent:
    """The intent of a query's actions; writing and deleting outrank reading."""
    hits = Counter(map(_intent_of, actions))
    if hits["write"] or hits["delete"]:
        hits["read"] = 0
    return _share(hits)


def _share(hits: Counter[str]) -> QueryIntent:
    total = hits.total()
    if not total:
        return QueryIntent()
    return QueryIntent(hits["read"] / total, hits["write"] / total, hits["delete"] / total)


def score_annotations(intent: QueryIntent, annotations: MCPAnnotations | None) -> float:
    """The score of one tool, 0.5 if nothing is known; a mixed intent weighs by its shares."""
    if intent.is_neutral or annotations is None:
        return NEUTRAL
    # A tool that only reads deletes nothing, whatever else it says.
    deletes = 0.0 if annotations.read_only else _DELETES[annotations.destructive]
    return (
        intent.read_intent * _READS[annotations.read_only]
        + intent.write_intent * _WRITES[annotations.read_only]
        + intent.delete_intent * deletes
    )
