"""A test case as one document: arguments, the caller, and what is expected of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.answer_differences import (
    AnswerDifference,
    ComparedAnswer,
    RowKind,
    compare_answers,
    read_compared_answer,
)
from core.bindings import NOBODY, CallerFacts
from core.cases.expectations import Columns, Expectation, RowCount, read_expectation
from core.cases.fields import CaseFields
from core.cases.outcomes import CaseOutcome, CaseState, CaseVerdict, answer_size
from core.errors import DefinitionError
from core.messages import Message, Value, counted, join, message
from core.toolspec import JsonValue

MAX_CASES = 200
MAX_NAME_CHARACTERS = 100
MAX_EXPECTATIONS = 50
MAX_GOLDEN_BYTES = 1_000_000
_FIELDS = ("name", "source", "arguments", "caller", "expects", "golden")
_CALLER_FIELDS = ("key_id", "owner", "claims")
_GOLDEN_FIELDS = ("answer", "at", "by", "version")


class CaseSource(StrEnum):
    """What a case was made from."""

    TRIAL = "trial"
    CALL = "call"
    EXAMPLE = "example"
    HAND = "hand"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenAnswer:
    """An answer that was right once: since when (ISO 8601), by whom, of which version (0: a draft)."""

    answer: ComparedAnswer
    at: str = ""
    by: str = ""
    version: int = 0

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON; what is unknown is left out."""
        known = {"at": self.at, "by": self.by, "version": self.version}
        taken = {name: value for name, value in known.items() if value}
        return {**taken, "answer": self.answer.to_document()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDocument:
    """A saved call and what is expected of it. An argument that is missing in `arguments` is absent.

    Of `caller` only owner, key id and claims are kept. Equality with `golden`, if any, is expected too.
    """

    name: str
    arguments: dict[str, JsonValue] = field(default_factory=dict)
    caller: CallerFacts = NOBODY
    expects: tuple[Expectation, ...] = ()
    golden: GoldenAnswer | None = None
    source: CaseSource = CaseSource.HAND

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, read again by `read_case`; what says nothing is left out."""
        facts = {"key_id": self.caller.key_id, "owner": self.caller.owner}
        caller: dict[str, JsonValue] = {name: value for name, value in facts.items() if value}
        caller |= {"claims": dict(self.caller.claims)} if self.caller.claims else {}
        document: dict[str, JsonValue] = {"name": self.name, "source": self.source.value}
        document |= {"arguments": self.arguments}
        document |= {"caller": caller} if caller else {}
        document |= {"expects": [expected.to_document() for expected in self.expects]}
        return {**document, "golden": self.golden.to_document()} if self.golden else document

    def describe(self) -> list[Value]:
        """What is expected, a few words each; an answer of any kind where nothing is said."""
        shown: list[Value] = [expected.describe() for expected in self.expects]
        if self.golden:
            shown.append(message("case.golden", "golden answer"))
        return shown or [message("case.any_answer", "any answer")]

    def judge(self, outcome: CaseOutcome) -> CaseVerdict:
        """Whether the outcome is what is expected."""
        difference = None
        failures = list(self._find_failures(outcome))
        if self.golden and outcome.answer:
            difference = compare_answers(self.golden.answer, outcome.answer)
            if difference:
                failures.insert(0, (False, _explain_difference(difference)))
        if all(is_of_cost for is_of_cost, _failure in failures):
            state = CaseState.SLOW if failures else CaseState.GREEN
        else:
            state = CaseState.RED
        texts = tuple(failure for _is_of_cost, failure in failures)
        return CaseVerdict(state=state, failures=texts, difference=difference or None)

    def rename_arguments(self, names: Mapping[str, str]) -> "CaseDocument":
        """The case with the new names, by old one, of its arguments."""
        given = {names.get(name, name): value for name, value in self.arguments.items()}
        return replace(self, arguments=given)

    def accept(self, golden: GoldenAnswer) -> "CaseDocument":
        """The case with this answer as the golden one; what else was expected of it and does not hold goes.

        A number of rows and columns become those of the answer. Raises DefinitionError for an answer that
        is too large.
        """
        require_small(golden.answer, self.name)
        outcome = CaseOutcome(answer=golden.answer)
        expects: list[Expectation] = []
        for expected in self.expects:
            if expected.is_of_text or expected.is_of_cost or not expected.find_fault(outcome):
                expects.append(expected)
            elif isinstance(expected, RowCount) and golden.answer.columns is not None:
                expects.append(RowCount("=", len(golden.answer.rows)))
            elif isinstance(expected, Columns) and golden.answer.columns is not None:
                expects.append(Columns.of_answer(golden.answer))
        return replace(self, golden=golden, expects=tuple(expects))

    def _find_failures(self, outcome: CaseOutcome) -> Iterator[tuple[bool, Message]]:
        expects_error = any(
            expected.is_of_error and not expected.is_of_cost for expected in self.expects
        )
        if outcome.error and not expects_error:
            failed = message(
                "case.failed",
                "Expected {expected}; the call failed: {reason}",
                expected=join(self.describe(), " · "),
                reason=outcome.error,
            )
            yield False, failed
            return
        for expectation in self.expects:
            if (found := expectation.find_fault(outcome)) is not None:
                differs = message(
                    "case.differs",
                    "Expected {expected}; got {found}.",
                    expected=expectation.describe(),
                    found=found,
                )
                yield expectation.is_of_cost, differs


def read_case(value: JsonValue, place: str) -> CaseDocument:
    """The case of a document. Raises DefinitionError, whose text begins with the place of the fault."""
    fields = CaseFields(value, place, _FIELDS)
    name = fields.text("name", MAX_NAME_CHARACTERS).strip()
    if not name.isprintable():
        raise fields.fault(message("case.name", "must be visible characters on one line"), "name")
    caller = CaseFields(fields.object("caller"), f"{place}.caller", _CALLER_FIELDS)
    facts = CallerFacts(
        key_id=caller.text("key_id", default=""),
        owner=caller.text("owner", default=""),
        claims=caller.object("claims"),
    )
    listed = fields.list("expects", MAX_EXPECTATIONS)
    expects = tuple(
        read_expectation(entry, f"{place}.expects[{number}]") for number, entry in enumerate(listed)
    )
    golden = None
    if fields.any("golden") is not None:
        golden = _read_golden(fields.any("golden"), f"{place}.golden")
    kinds = {expected.is_of_error for expected in expects if not expected.is_of_cost}
    if True in kinds and (False in kinds or golden):
        both = message("case.error_and_answer", "cannot expect an error and an answer")
        raise fields.fault(both, "expects")
    source = fields.choice("source", [kind.value for kind in CaseSource], CaseSource.HAND.value)
    return CaseDocument(
        name=name,
        arguments=fields.object("arguments"),
        caller=facts,
        expects=expects,
        golden=golden,
        source=CaseSource(source),
    )


def read_cases(value: JsonValue, place: str) -> tuple[CaseDocument, ...]:
    """The cases of a list. Raises DefinitionError as `read_case` does, and where a name is there twice."""
    fields = CaseFields({"cases": value}, "", ("cases",))
    cases = [
        read_case(entry, f"{place}[{number}]")
        for number, entry in enumerate(fields.list("cases", MAX_CASES))
    ]
    require_different_names(cases, place)
    return tuple(cases)


def require_different_names(cases: Sequence[CaseDocument], place: str) -> None:
    """Raise DefinitionError if two cases have one name."""
    names = [case.name for case in cases]
    if twice := [name for at, name in enumerate(names) if name in names[:at]]:
        raise DefinitionError(
            message(
                "case.name_twice",
                "{place}: there are two cases called {name}",
                place=place,
                name=twice[0],
            )
        )


def require_small(answer: ComparedAnswer, place: str) -> None:
    """Raise DefinitionError for an answer that is too large to be kept."""
    if answer_size(answer) > MAX_GOLDEN_BYTES:
        raise DefinitionError(
            message(
                "case.golden_too_large",
                "{place}: the answer is larger than {limit} bytes, more than a golden answer may have;"
                " expect its number of rows and a few values instead",
                place=place,
                limit=MAX_GOLDEN_BYTES,
            )
        )


def _read_golden(value: JsonValue, place: str) -> GoldenAnswer:
    fields = CaseFields(value, place, _GOLDEN_FIELDS)
    try:
        answer = read_compared_answer(fields.any("answer"))
    except DefinitionError as error:
        raise fields.fault(error.message, "answer") from error
    require_small(answer, place)
    return GoldenAnswer(
        answer=answer,
        at=fields.text("at", default=""),
        by=fields.text("by", default=""),
        version=fields.whole("version", 0),
    )


def _explain_difference(difference: AnswerDifference) -> Message:
    kinds = {row.kind for row in difference.rows}
    is_rows_alone = kinds == {RowKind.CHANGED} and not (
        difference.added_columns or difference.removed_columns or difference.is_reordered
    )
    if is_rows_alone and difference.old_rows == 1:
        return message("case.golden_row", "The only row differs from the golden answer.")
    if is_rows_alone:
        return message(
            "case.golden_rows",
            counted(
                "{count} of {rows} rows differs from the golden answer.",
                "{count} of {rows} rows differ from the golden answer.",
            ),
            count=len(difference.rows),
            rows=difference.old_rows,
        )
    return message(
        "case.golden_differs",
        "It differs from the golden answer. {difference}",
        difference=difference.explain(),
    )
