"""The evaluation as a page shows it: questions with their verdicts, figures, and one hint."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from access.reader_language import in_language
from catalog.exchange.spreadsheets import write_sheet
from core.json_text import encode_json
from core.messages import from_json
from core.retrieval.tokens import find_words
from toolbuilder.models import PlaygroundQuestion, PlaygroundRun, PlaygroundState
from toolbuilder.playground.evaluating import ChoiceVerdict
from toolbuilder.playground.questions import NO_TOOL, hide_questions
from toolbuilder.visibility import hidden_tool_names, visible_tools

BAR_WIDTH = 1_000
_GAP = 4
# Which of them a look shows; the rest are languages.
ALL, NOT_RIGHT = "", "wrong"
TONES = {
    ChoiceVerdict.RIGHT: "ok",
    ChoiceVerdict.WRONG_VALUE: "warn",
    ChoiceVerdict.WRONG_TOOL: "bad",
    ChoiceVerdict.NO_CALL: "bad",
    ChoiceVerdict.REFUSED: "bad",
}
_MOST_WORDS = 3
_LEAST_CHARACTERS = 3
# Words of nearly every question.
_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "was",
        "were",
        "how",
        "what",
        "which",
        "who",
        "when",
        "where",
        "many",
        "much",
        "did",
        "does",
        "can",
        "all",
        "any",
        "our",
        "have",
        "has",
        "that",
        "this",
        "there",
        "with",
        "from",
        "into",
        "last",
        "show",
        "give",
        "list",
        "tell",
        "어디",
        "얼마",
        "무엇",
        "알려",
        "보여",
        "주세요",
        "있어",
    ]
)


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A question with what the last run made of it; `verdict` None if it was not asked."""

    question: PlaygroundQuestion
    verdict: ChoiceVerdict | None
    chosen: str
    reason: str
    tone: str


@dataclass(frozen=True, slots=True)
class VerdictPart:
    """Of the bar: how many have the verdict; places are in BAR_WIDTH."""

    verdict: ChoiceVerdict
    tone: str
    count: int
    start: int
    width: int


@dataclass(frozen=True, slots=True)
class Hint:
    """What would help most: said of `tool`, whose description is to be edited."""

    text: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A set of questions as this person may see it."""

    set_name: str
    sets: list[str]
    rows: list[ReportRow]
    run: PlaygroundRun | None
    show: str
    looks: list[tuple[str, str, int]]
    parts: list[VerdictPart]
    share: int | None
    difference: int | None
    is_other_list: bool
    tokens: int
    hint: Hint | None
    fault: str

    @property
    def shown_rows(self) -> list[ReportRow]:
        """The rows of the look that is chosen."""
        if self.show == NOT_RIGHT:
            return [row for row in self.rows if row.verdict not in (None, ChoiceVerdict.RIGHT)]
        return [row for row in self.rows if self.show in (ALL, row.question.language)]

    @property
    def is_running(self) -> bool:
        return self.run is not None and self.run.state == PlaygroundState.RUNNING

    @property
    def is_held(self) -> bool:
        return self.run is not None and self.run.held_until is not None

    @property
    def is_halted(self) -> bool:
        """Whether the run ended before its last question."""
        halted = (PlaygroundState.STOPPED, PlaygroundState.FAILED)
        return self.run is not None and self.run.state in halted

    @property
    def done(self) -> int:
        return sum(row.verdict is not None for row in self.rows)


def make_report(user: User, set_name: str, show: str = ALL) -> Report:
    """The set with its newest run; questions and choices of hidden tools are left out."""
    hidden = hidden_tool_names(user)
    questions = PlaygroundQuestion.objects.filter(hide_questions(hidden))
    sets = sorted({set_name, *questions.values_list("set_name", flat=True)})
    runs = list(PlaygroundRun.objects.filter(set_name=set_name)[:2])
    run = next(iter(runs), None)
    rows = list(_list_rows(questions.filter(set_name=set_name), run, hidden))
    judged = [row for row in rows if row.verdict]
    share = _share([row.verdict for row in rows if row.verdict])
    difference = None
    if run and len(runs) > 1 and run.state == PlaygroundState.DONE and share is not None:
        before = _share(
            [ChoiceVerdict(row["verdict"]) for row in runs[1].verdicts if row["verdict"]]
        )
        difference = share - before if before is not None else None
    languages = Counter(row.question.language for row in rows)
    wrong = sum(row.verdict is not ChoiceVerdict.RIGHT for row in judged)
    looks = [
        (ALL, _("All"), len(rows)),
        (NOT_RIGHT, _("Not right"), wrong),
        *((name, name, count) for name, count in sorted(languages.items())),
    ]
    fault = from_json(run.fault) if run else None
    return Report(
        set_name=set_name,
        sets=sets,
        rows=rows,
        run=run,
        show=show if show in {name for name, _label, _count in looks} else ALL,
        looks=looks,
        parts=list(_lay_out(judged, len(rows))),
        share=share,
        difference=difference,
        is_other_list=len(runs) > 1 and runs[0].list_hash != runs[1].list_hash,
        tokens=sum(row["tokens"] for row in run.verdicts) if run else 0,
        hint=find_hint(rows, user) if run and run.state == PlaygroundState.DONE else None,
        fault=in_language(fault) if fault else "",
    )


def export_report(report: Report) -> str:
    """The questions with their verdicts as CSV, which can be read in again."""
    columns = (
        "question",
        "expected",
        "arguments",
        "language",
        "verdict",
        "chosen",
        "given",
        "reason",
    )
    given = {row["question"]: row["given"] for row in report.run.verdicts} if report.run else {}
    return write_sheet(
        columns,
        [
            [
                row.question.text,
                row.question.expected or NO_TOOL,
                _to_json(row.question.arguments),
                row.question.language,
                row.verdict.value if row.verdict else "",
                row.chosen,
                _to_json(given.get(row.question.pk)),
                row.reason,
            ]
            for row in report.rows
        ],
    )


def find_hint(rows: Collection[ReportRow], user: User) -> Hint | None:
    """Which tool is missed most often, what was taken in its place, and which words its description lacks."""
    missed = [
        row for row in rows if row.verdict in (ChoiceVerdict.WRONG_TOOL, ChoiceVerdict.NO_CALL)
    ]
    counts = Counter((row.question.expected, row.chosen) for row in missed if row.question.expected)
    for (expected, chosen), count in counts.most_common():
        tool = visible_tools(user).filter(name=expected).first()
        if tool is None:
            continue
        known = {
            term
            for _word, terms in find_words(f"{tool.name} {tool.description_agent}")
            for term in terms
        }
        lacking: Counter[str] = Counter()
        for row in missed:
            if row.question.expected == expected:
                lacking.update(set(_telling_words(row.question.text, known)))
        words = ", ".join(f"“{word}”" for word, _count in lacking.most_common(_MOST_WORDS))
        values = {"expected": expected, "chosen": chosen, "count": count, "words": words}
        if not chosen:
            text = (
                _("No tool was called in place of %(expected)s: %(count)d of the questions.")
                % values
            )
        else:
            text = (
                _("In place of %(expected)s %(chosen)s was taken: %(count)d of the questions.")
                % values
            )
        if words:
            text += " " + _("The description of %(expected)s does not say: %(words)s.") % values
        return Hint(text, expected)
    return None


def _telling_words(text: str, known: Collection[str]) -> Iterator[str]:
    for word, terms in find_words(text):
        is_short = word.isascii() and len(word) < _LEAST_CHARACTERS
        if not (is_short or word.isdigit() or word.lower() in _COMMON or set(terms) & set(known)):
            yield word.lower()


def _list_rows(
    questions: Any, run: PlaygroundRun | None, hidden: Collection[str]
) -> Iterator[ReportRow]:
    verdicts = {row["question"]: row for row in run.verdicts} if run else {}
    for question in questions:
        found: Mapping[str, Any] = verdicts.get(question.pk, {})
        verdict = ChoiceVerdict(found["verdict"]) if found.get("verdict") else None
        chosen, reason = found.get("chosen", ""), from_json(found.get("reason"))
        if chosen in hidden:
            chosen = "…"
        tone = TONES[verdict] if verdict else ""
        yield ReportRow(question, verdict, chosen, in_language(reason) if reason else "", tone)


def _share(verdicts: list[ChoiceVerdict]) -> int | None:
    return round(100 * verdicts.count(ChoiceVerdict.RIGHT) / len(verdicts)) if verdicts else None


def _lay_out(judged: list[ReportRow], total: int) -> Iterator[VerdictPart]:
    counts, start = Counter(row.verdict for row in judged), 0
    for verdict, tone in TONES.items():
        if count := counts[verdict]:
            width = BAR_WIDTH * count // max(total, 1)
            yield VerdictPart(verdict, tone, count, start, max(width - _GAP, 1))
            start += width


def _to_json(value: Any) -> str:
    return "" if value is None else encode_json(value).decode()
