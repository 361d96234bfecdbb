"""A query in outline: the columns that answer a reading, chosen among those that are described."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.agents.demo_llm.reading import Function, Reading
from tests.agents.demo_llm.schema import Column, Schema, table_names
from tests.agents.demo_llm.values import Hit, find_values
from tests.agents.demo_llm.words import best_likeness, language_of, likeness, normalize, units

# Below this a phrase and a description share too little to mean the same thing.
LIKE_ENOUGH = 0.42
_NAME_BONUS = 0.3
_ID_PENALTY = 0.25
_COUNTED_PENALTY = 0.3
_EXACT = 0.9
_LISTED_COLUMNS = 6
_COUNTED = re.compile(r"(?i)\bnumber of\b|\bcount\b|件数|건수")
_LANGUAGE_SUFFIX = re.compile(r"_(ko|ja|en)$")


@dataclass(frozen=True)
class Plan:
    """Where rows come from and what is made of them; `keywords` maps each column to its phrase."""

    table: str
    score: float
    function: Function | None = None
    measure: Column | None = None
    groups: tuple[Column, ...] = ()
    date: Column | None = None
    values: tuple[Hit, ...] = ()
    comparisons: tuple[tuple[Column, str, str], ...] = ()
    listed: tuple[Column, ...] = ()
    keywords: Mapping[Column, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """A column and how well its description fits a phrase."""

    column: Column
    score: float


class Planner:
    """Chooses among `candidates`, joins along the foreign keys of `schema`.

    `phrases` gives the keyword that a column has been standardised from, where that is known.
    """

    def __init__(
        self,
        schema: Schema,
        candidates: Sequence[Column],
        phrases: Mapping[Column, str] | None = None,
    ) -> None:
        self._schema = schema
        self._candidates = candidates
        self._phrases = phrases or {}

    def plan(self, reading: Reading) -> Plan | None:
        """The best plan; None if the question has nothing in common with what is described."""
        hits = find_values(reading.text, self._candidates)
        named = {normalize(hit.phrase) for hit in hits}
        subject = tuple(_without(word, named) for word in reading.subject)
        plain = replace(reading, subject=tuple(word for word in subject if word))
        plans = [
            self._complete(outline, each, hits)
            for each in _splits(plain)
            for outline in self._outlines(each)
        ]
        best = max(plans, key=lambda plan: plan.score, default=None)
        return best if best and best.score >= LIKE_ENOUGH else None

    def _outlines(self, reading: Reading) -> Iterator[Plan]:
        """A table or a measure that the subject may mean."""
        is_grouped = bool(reading.groups or reading.bucket)
        if reading.function not in (None, "count") or (reading.function is None and is_grouped):
            yield from self._measured(reading)
        if reading.function in (None, "count"):
            for table in dict.fromkeys(column.table for column in self._candidates):
                score = self._subject_score(reading, table)
                function: Function | None = reading.function or ("count" if is_grouped else None)
                weight = 0.7 if reading.function is None and is_grouped else 1.0
                yield Plan(table, score * weight, function)

    def _measured(self, reading: Reading) -> Iterator[Plan]:
        function: Function = reading.function or "sum"
        for choice in self._choices(reading.subject, lambda c: c.is_number and not _is_key(c)):
            column = choice.column
            # Of two that fit, what is added up is the amount and not how many there were.
            is_counted = _COUNTED.search(column.description) is not None
            score = choice.score - (_COUNTED_PENALTY if is_counted else 0)
            if score >= LIKE_ENOUGH:
                keywords = {column: " ".join(reading.subject)}
                yield Plan(column.table, score, function, column, keywords=keywords)

    def _complete(self, plan: Plan, reading: Reading, hits: Sequence[Hit]) -> Plan:
        """The outline with groups, dates and conditions within reach of its table."""
        reach = {column.table for column in self._candidates if self._is_near(plan, column)}
        keywords, score = dict(plan.keywords), plan.score
        groups: list[Column] = []
        for phrase in reading.groups:
            best = self._best_group(phrase, reach, language_of(reading.text))
            score += best.score if best and best.score >= LIKE_ENOUGH else -1
            if best and best.score >= LIKE_ENOUGH:
                groups.append(best.column)
                keywords[best.column] = phrase
        plan = replace(plan, groups=tuple(groups), score=score, keywords=keywords)
        plan = self._with_conditions(self._with_date(plan, reading), reading, hits)
        if plan.function is None:
            return self._with_listed(plan, reading)
        if _is_ranking_of_rows(plan, reading):
            listed = (*plan.groups, *filter(None, [plan.measure]))
            return replace(plan, function=None, groups=(), listed=listed)
        return self._with_entity(plan, reading) if plan.measure is None else plan

    def _with_entity(self, plan: Plan, reading: Reading) -> Plan:
        """A count needs no column; the table's key stands for its rows in the list of columns."""
        table = [c for c in self._candidates if c.table == plan.table]
        key = next((c for c in table if c.is_primary), table[0])
        entity = max(reading.subject, key=lambda w: self._table_score(w, plan.table), default="")
        return replace(plan, keywords={key: entity, **plan.keywords})

    def _with_date(self, plan: Plan, reading: Reading) -> Plan:
        phrase = reading.period.phrase or reading.bucket_phrase
        if not phrase:
            return plan
        dates = [c for c in self._candidates if c.is_date and c.table == plan.table]
        if not dates:
            return replace(plan, score=plan.score - 1)
        hints = " ".join(reading.subject)
        best = max(dates, key=lambda c: _date_score(c, hints) + (self._phrases.get(c) == phrase))
        return replace(plan, date=best, keywords={**plan.keywords, best: phrase})

    def _with_conditions(self, plan: Plan, reading: Reading, hits: Sequence[Hit]) -> Plan:
        values: dict[str, Hit] = {}
        for hit in hits:
            path = self._schema.path(plan.table, hit.column.table)
            known = values.get(normalize(hit.phrase))
            if path is not None and (known is None or len(path) < self._distance(plan, known)):
                values[normalize(hit.phrase)] = hit
        keywords = {**plan.keywords, **{hit.column: hit.phrase for hit in values.values()}}
        comparisons = []
        for comparison in reading.comparisons:
            best = self._best(
                (comparison.keyword,), lambda c: c.is_number and self._is_near(plan, c)
            )
            if best and best.score >= LIKE_ENOUGH:
                comparisons.append((best.column, comparison.operator, comparison.number))
                keywords[best.column] = comparison.keyword
        score = plan.score + 0.3 * len(values) + 0.5 * len(comparisons)
        return replace(
            plan,
            values=tuple(values.values()),
            comparisons=tuple(comparisons),
            keywords=keywords,
            score=score,
        )

    def _with_listed(self, plan: Plan, reading: Reading) -> Plan:
        """The columns to show: those that are asked for, else the first of the table."""
        table = [c for c in self._candidates if c.table == plan.table]
        asked: dict[Column, str] = {}
        for word in reading.subject:
            best = max(table, key=lambda c: self._own_score(word, c))
            if self._own_score(word, best) >= max(LIKE_ENOUGH, self._table_score(word, plan.table)):
                asked[best] = word
        if self._table_score(" ".join(reading.subject), plan.table) >= _EXACT:
            asked = {}
        score = plan.score + 0.2 * len(asked)
        entity = max(reading.subject, key=lambda w: self._table_score(w, plan.table), default="")
        compared = [column for column, _, _ in plan.comparisons if column.table == plan.table]
        shown = [c for c in table if c in asked and not _is_key(c) and c != plan.date]
        if reading.has_order and (measure := next((c for c in shown if c.is_number), None)):
            plan = replace(plan, measure=measure)
        label = [c for c in table if c.is_label and c not in asked]
        listed = [*label[:1], *shown] if shown else _first_of(table, label)
        listed += [column for column in compared if column not in listed]
        keywords = {**{c: asked.get(c, entity) for c in listed}, **plan.keywords}
        return replace(plan, listed=tuple(listed), keywords=keywords, score=score)

    def _best(self, phrase: Sequence[str], accept: Callable[[Column], bool]) -> Choice | None:
        return max(self._choices(phrase, accept), key=lambda choice: choice.score, default=None)

    def _best_group(self, phrase: str, reach: set[str], language: str) -> Choice | None:
        """What rows are grouped by: rather a name than an id, in the question's language."""
        choices = [
            Choice(choice.column, choice.score + _group_bonus(choice, language))
            for choice in self._choices(
                (phrase,),
                lambda c: c.table in reach and not c.type.startswith(("date", "time", "json")),
            )
        ]
        return max(choices, key=lambda choice: choice.score, default=None)

    def _choices(self, phrase: Sequence[str], accept: Callable[[Column], bool]) -> list[Choice]:
        return [
            Choice(column, self._score(phrase, column))
            for column in self._candidates
            if accept(column)
        ]

    def _score(self, phrase: Sequence[str], column: Column) -> float:
        """How well a column fits the words together or one of them, with a little for its table."""
        if self._phrases.get(column) == " ".join(phrase):
            return 1.0
        texts = dict.fromkeys([" ".join(phrase), *phrase])
        own = max((self._own_score(text, column) for text in texts), default=0.0)
        context = max((self._table_score(text, column.table) for text in texts), default=0.0)
        return own + 0.15 * context if own else 0.0

    def _own_score(self, text: str, column: Column) -> float:
        """How well a column fits a text, alone or with its table's name before it."""
        wanted = units(text)
        names = [units(name) for name in table_names(self._schema, column.table)]
        near = frozenset().union(*(name for name in names if name <= wanted))
        segments = [units(segment) for segment in column.segments]
        alone = max((likeness(wanted, segment) for segment in segments), default=0.0)
        joint = max(
            (likeness(wanted, s | near) for s in segments if s & (wanted - near)), default=0.0
        )
        return max(alone, 0.9 * joint)

    def _subject_score(self, reading: Reading, table: str) -> float:
        """How well a table fits the subject's words, together or the best of them."""
        texts = [" ".join(reading.subject), *reading.subject] if reading.subject else []
        return max((self._table_score(text, table) for text in texts), default=0.0)

    def _table_score(self, text: str, table: str) -> float:
        """1 for its very name; what else is said of a table counts for less."""
        named = best_likeness(text, table_names(self._schema, table))
        keys = [s for c in self._schema.of_table(table) if c.is_primary for s in c.segments]
        known = any(c.table == table and p == text for c, p in self._phrases.items())
        return max(
            named if named == 1 else 0.7 * named, 0.8 * best_likeness(text, keys), float(known)
        )

    def _is_near(self, plan: Plan, column: Column) -> bool:
        return self._schema.path(plan.table, column.table) is not None

    def _distance(self, plan: Plan, hit: Hit) -> int:
        return len(self._schema.path(plan.table, hit.column.table) or ())


def _splits(reading: Reading) -> list[Reading]:
    """The reading, and where it asks for the first few: each way to tell measure from group."""
    splits = [reading]
    if reading.has_order and not reading.groups and len(reading.subject) > 1:
        for i, word in enumerate(reading.subject):
            rest = reading.subject[:i] + reading.subject[i + 1 :]
            splits.append(replace(reading, subject=rest, groups=(word,)))
    return splits


def _without(word: str, named: Iterable[str]) -> str:
    """What is left of a word when the values in it are taken out."""
    for phrase in named:
        if phrase == normalize(word) or (not phrase.isascii() and phrase in word):
            word = word.replace(phrase, "") if phrase != normalize(word) else ""
    return word


def _is_key(column: Column) -> bool:
    is_named_so = column.name == "id" or column.name.endswith("_id")
    return column.is_primary or column.refers_to is not None or is_named_so


def _group_bonus(choice: Choice, language: str) -> float:
    if choice.score <= 0:
        return 0.0
    if _is_key(choice.column):
        return -_ID_PENALTY
    suffix = _LANGUAGE_SUFFIX.search(choice.column.name)
    tongue = 0.0 if suffix is None else (0.1 if suffix[1] == language else -0.1)
    return tongue + (_NAME_BONUS if choice.column.is_label else 0.0)


def _is_ranking_of_rows(plan: Plan, reading: Reading) -> bool:
    """True for "the five dearest products": nothing is added up, rows are put in order."""
    is_own = bool(plan.groups) and all(c.table == plan.table and c.is_label for c in plan.groups)
    return is_own and plan.measure is not None and reading.function is None and reading.has_order


def _date_score(column: Column, hints: str) -> float:
    own = max(
        (likeness(units(w), units(s)) for w in hints.split() for s in column.segments), default=0
    )
    # A date that may be missing, such as a birthday, is seldom the date of the row.
    return own - (0.3 if "NULL" in column.description else 0.0)


def _first_of(table: Sequence[Column], label: Sequence[Column]) -> list[Column]:
    plain = [c for c in table if c.type and not c.type.startswith("json")]
    first = plain[:_LISTED_COLUMNS]
    return first + [c for c in label if c not in first]
