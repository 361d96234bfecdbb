"""What a run of a case gave, and the verdict on it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.answer_differences import AnswerDifference, ComparedAnswer
from core.json_text import encode_json
from core.messages import Message, list_sentences
from core.results import Answer
from core.tokens import estimate_tokens
from core.toolspec import JsonValue


class CaseState(StrEnum):
    """What came of a case: one that is only slow, or only large, does not keep a tool from being served.

    Nor does one that was skipped, since its tool writes and nobody asked for a run.
    """

    GREEN = "GREEN"
    RED = "RED"
    SLOW = "SLOW"
    CANNOT_RUN = "CANNOT_RUN"
    SKIPPED = "SKIPPED"

    @property
    def blocks(self) -> bool:
        """Whether a tool with such a case is served only for a reason that somebody gives."""
        return self in {CaseState.RED, CaseState.CANNOT_RUN}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """A run: an answer or an error, and its figures. `texts` are what the agent reads."""

    answer: ComparedAnswer | None = None
    error: Message | None = None
    texts: tuple[str, ...] = ()
    elapsed_ms: float = 0.0

    @classmethod
    def of_answer(cls, answer: Answer, elapsed_ms: float) -> "CaseOutcome":
        """The outcome of a call that answered."""
        compared = ComparedAnswer.of_answer(answer)
        return cls(answer=compared, texts=answer.texts, elapsed_ms=elapsed_ms)

    @classmethod
    def of_error(cls, error: Message, elapsed_ms: float) -> "CaseOutcome":
        """The outcome of a call that was refused or failed."""
        return cls(error=error, texts=(str(error),), elapsed_ms=elapsed_ms)

    @property
    def size_bytes(self) -> int:
        """Of the texts, as UTF-8."""
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in self.texts)

    @property
    def tokens(self) -> int:
        """What a model reads of it, estimated."""
        return sum(map(estimate_tokens, self.texts))

    def records(self) -> list[dict[str, JsonValue]]:
        """The rows by column names; none of an answer that has no rows."""
        if self.answer is None or self.answer.columns is None:
            return []
        names = self.answer.columns
        return [dict(zip(names, row, strict=True)) for row in self.answer.rows]

    def root(self) -> JsonValue:
        """What `$` is in a path: the records of a query, or the structured content of another tool."""
        if self.answer is None:
            return None
        return self.answer.value if self.answer.columns is None else self.records()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVerdict:
    """The state, and what differs: a sentence each. `difference` is that to the golden answer, if any."""

    state: CaseState
    failures: tuple[Message, ...] = ()
    difference: AnswerDifference | None = None

    @property
    def sentence(self) -> Message | None:
        """What differs, in one text."""
        return list_sentences(self.failures) if self.failures else None


def answer_size(answer: ComparedAnswer) -> int:
    """Bytes of the answer as JSON."""
    document: Any = answer.to_document()
    return len(encode_json(document))
