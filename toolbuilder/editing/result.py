"""What the result pane shows of a test run: cells, JSON, and the exchange that an agent would have."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from access.reader_language import in_language
from core.analysis import ResultColumn
from core.column_kinds import MAX_EXACT, ColumnKind, exact_text, kind_of
from core.formatting import format_cell
from core.json_text import encode_json, indent_json
from core.messages import Message, as_message
from core.pictures import picture_tokens
from core.plans.tree import PlanNode, QueryPlan
from core.tokens import estimate_tokens
from core.toolspec import JsonValue, ParameterType
from toolbuilder.editing.explanations import TypeOffer, find_rule
from toolbuilder.editing.explorer import shorten_type
from toolbuilder.editing.http_exchanges import find_rows
from toolbuilder.editing.http_page import ShownExchange
from toolbuilder.editing.trial import Trial
from toolbuilder.editing.values import state_of
from toolbuilder.models import ToolTrial

ROWS_DRAWN = 200
# Of all cells together, and of one; answers may have megabytes.
TABLE_CHARACTERS = 400_000
CELL_CHARACTERS = 2_000
SHORT_CHARACTERS = 80
TEXT_CHARACTERS = 100_000
# A step with so much of the cost is pointed out.
COSTLY_PERCENT = 30
_REFUSED = re.compile(r"^- (\w+): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ClippedText:
    """A text of at most `TEXT_CHARACTERS`; `length` counts the characters of the whole."""

    text: str
    length: int

    @property
    def is_clipped(self) -> bool:
        return self.length > len(self.text)


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A value in the table: `short` is in its row, `text` unfolds; '' if it says no more.

    `is_empty` says that `short` is the word for null or for an empty text.
    """

    short: str
    text: str = ""
    is_empty: bool = False
    is_number: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column's head; `type` is '' if it is not known."""

    name: str
    type: str
    kind: ColumnKind

    @property
    def is_number(self) -> bool:
        return self.kind is ColumnKind.NUMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What goes between an agent and the tool: the request, the answer and the texts of it in order."""

    call: str
    call_tokens: int
    answer: ClippedText
    texts: tuple[ClippedText, ...]
    tokens: int
    is_error: bool
    # Addresses that hold the pictures themselves.
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTrial:
    """A test run, or with an `error` and without an `exchange` one that could not begin.

    `parameter` is the one that the error is about, `line` the line of the logic, '' and 0 if none is.
    `row_count` is None if the answer is a value, which then is in `value`; `is_plain` if that is short.
    `rows` are the first ones; `grid` has all of them, as the page's grid reads it.
    `missing` are the parameters whose test values a run waits for. `http` are the requests of an HTTP
    tool; `confirms` is what a run that writes waits for, `setting` what would allow its address;
    `allowable_host` is one that the reader may allow for `service`.
    `rule` is the key of what explains the error, '' if nothing does; `offers` may mend it.
    """

    error: str = ""
    parameter: str = ""
    missing: tuple[str, ...] = ()
    line: int = 0
    columns: tuple[ShownColumn, ...] = ()
    rows: tuple[tuple[ShownCell, ...], ...] = ()
    grid: dict[str, JsonValue] | None = None
    row_count: int | None = None
    value: ClippedText | None = None
    is_plain: bool = True
    json: ClippedText | None = None
    notes: tuple[str, ...] = ()
    truncated: bool = False
    elapsed_ms: float = 0.0
    tokens: int = 0
    exchange: Exchange | None = None
    http: tuple[ShownExchange, ...] = ()
    confirms: str = ""
    setting: str = ""
    allowable_host: str = ""
    service: str = ""
    rule: str = ""
    offers: tuple[TypeOffer, ...] = ()

    @property
    def picture_tokens(self) -> int:
        """What a model reads of a picture of the rows."""
        return picture_tokens()

    @property
    def has_more_rows(self) -> bool:
        """Whether the answer has more rows than are drawn."""
        return self.row_count is not None and self.row_count > len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """A step of a plan in words; `percent` is its own part of the cost, None without estimates."""

    text: str
    kind: str
    conditions: tuple[str, ...] = ()
    rows: int | None = None
    percent: int | None = None
    advice: str = ""
    children: tuple["ShownStep", ...] = ()

    @property
    def is_costly(self) -> bool:
        return (self.percent or 0) >= COSTLY_PERCENT


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPlan:
    """A query's plan; `cost` and `rows` are None if the database estimates none."""

    steps: tuple[ShownStep, ...] = ()
    advice: tuple[str, ...] = ()
    text: str = ""
    cost: int | None = None
    rows: int | None = None
    limit: int | None = None
    error: str = ""
    is_python: bool = False

    @property
    def is_too_costly(self) -> bool:
        return self.limit is not None and (self.cost or 0) > self.limit


@dataclass(frozen=True, slots=True)
class PastTrial:
    """A test run that can be repeated: `fields` is JSON of [text, state] by parameter name."""

    trial: ToolTrial
    arguments: str
    fields: str


def show_trial(
    trial: Trial, name: str, arguments: Mapping[str, JsonValue], types: Sequence[ResultColumn] = ()
) -> ShownTrial:
    """The run of the tool `name` with these arguments; `types` are the columns that were foretold."""
    error = str(trial.error or "")
    refused = _REFUSED.search(error) if error.startswith("Invalid arguments for ") else None
    line, reason = _split_line(trial.error)
    advice = (in_language(trial.advice),) if trial.advice else ()
    call = write_call(name, arguments)
    shown = ShownTrial(
        error=in_language(reason),
        rule=find_rule(as_message(reason)) if reason else "",
        line=line,
        parameter=refused[1] if refused else "",
        notes=tuple(trial.structured.get("notes", trial.notes))
        if trial.columns
        else (*trial.notes, *advice),
        truncated=trial.truncated,
        elapsed_ms=trial.elapsed_ms,
        tokens=trial.tokens,
        exchange=Exchange(
            call=indent_json(call),
            call_tokens=estimate_tokens(encode_json(call["params"]).decode()),
            answer=_clip(indent_json(write_answer(trial))),
            texts=tuple(map(_clip, trial.texts)),
            images=tuple(
                f"data:image/png;base64,{b64encode(png).decode()}" for png in trial.images
            ),
            tokens=trial.tokens,
            is_error=bool(trial.error),
        ),
    )
    if trial.error:
        return shown
    if trial.exchanges and (found := find_rows(trial.structured)):
        table = _show_table(shown, name, replace(trial, columns=found[0], rows=found[1]))
        return replace(table, json=_clip(indent_json(trial.structured)), notes=trial.texts[1:])
    if is_query(trial):
        table = _show_table(shown, name, trial, types)
        return replace(table, json=_clip(_write_answer(trial)))
    return _show_value(shown, trial)


def is_query(trial: Trial) -> bool:
    """Whether the answer is rows, and not a value."""
    return "row_count" in trial.structured and not trial.exchanges


def write_call(name: str, arguments: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The JSON-RPC request of an agent that calls the tool so."""
    parameters = {"name": name, "arguments": dict(arguments)}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


def write_answer(trial: Trial) -> dict[str, Any]:
    """The CallToolResult that the agent gets."""
    answer: dict[str, Any] = {"content": [{"type": "text", "text": text} for text in trial.texts]}
    answer["content"] += [{"type": "image", "mimeType": "image/png"} for _png in trial.images]
    if not trial.error:
        answer["structuredContent"] = trial.structured
    return {**answer, "isError": bool(trial.error)}


def show_plan(plan: QueryPlan, limit: int | None = None) -> ShownPlan:
    """The plan in words, with what it may cost at most; None is no ceiling."""
    return ShownPlan(
        steps=tuple(show_step(node, has_costs=plan.cost is not None) for node in plan.nodes),
        advice=tuple(map(in_language, plan.advice)),
        text=plan.text,
        cost=None if plan.cost is None else round(plan.cost),
        rows=plan.rows,
        limit=limit,
    )


def show_step(node: PlanNode, *, has_costs: bool) -> ShownStep:
    """The step and those below it."""
    return ShownStep(
        text=in_language(node.text),
        kind=node.kind,
        conditions=node.conditions,
        rows=node.rows,
        percent=round(node.share * 100) if has_costs else None,
        advice=in_language(node.advice) if node.advice else "",
        children=tuple(show_step(child, has_costs=has_costs) for child in node.children),
    )


def show_past(trials: Iterable[ToolTrial], types: Mapping[str, ParameterType]) -> list[PastTrial]:
    """The runs with their arguments in a few words, and as the test fields hold them.

    `types` are those of the parameters by name; an argument of none is written as a text is.
    """
    past = []
    for trial in trials:
        given = trial.arguments if isinstance(trial.arguments, dict) else {}
        words = (f"{name} {_shorten(format_cell(value), 24)}" for name, value in given.items())
        kinds = {name: types.get(name, ParameterType.STRING).kind for name in given}
        fields = {
            name: [kinds[name].write_text(value), state_of(value)] for name, value in given.items()
        }
        text = json.dumps(fields, ensure_ascii=False)
        past.append(PastTrial(trial, _shorten(", ".join(words), 80), text))
    return past


def _split_line(error: Message | None) -> tuple[int, Message | str]:
    """The line of the script that failed, 0 if none is meant, and the reason."""
    match error:
        case Message(code="script.at_line", values={"line": str(line), "reason": Message() as why}):
            return int(line), why
    return 0, error or ""


def _show_table(
    shown: ShownTrial, name: str, table: Trial, types: Sequence[ResultColumn] = ()
) -> ShownTrial:
    columns = _show_columns(table, types)
    return replace(
        shown,
        columns=columns,
        rows=_show_rows(table.rows, columns),
        grid=_show_grid(name, table.rows, columns),
        row_count=len(table.rows),
    )


def _show_value(shown: ShownTrial, trial: Trial) -> ShownTrial:
    # What a service says stands under `result` only if it is no object.
    is_object = trial.exchanges and trial.structured.keys() != {"result"}
    value: JsonValue = trial.structured if is_object else trial.structured.get("result")
    text = value if isinstance(value, str) else indent_json(value)
    is_plain = len(text) <= SHORT_CHARACTERS and "\n" not in text
    whole = _clip(indent_json(trial.structured))
    return replace(shown, value=_clip(text), is_plain=is_plain, json=whole)


def _show_columns(trial: Trial, types: Sequence[ResultColumn]) -> tuple[ShownColumn, ...]:
    is_foretold = tuple(column.name for column in types) == trial.columns
    names = [column.type for column in types] if is_foretold else [""] * len(trial.columns)
    return tuple(
        ShownColumn(column, type_name, kind_of([row[place] for row in trial.rows], type_name))
        for place, (column, type_name) in enumerate(zip(trial.columns, names, strict=True))
    )


def _show_grid(
    name: str, rows: Sequence[Sequence[JsonValue]], columns: Sequence[ShownColumn]
) -> dict[str, JsonValue]:
    """All rows; a number that JavaScript would round, and a numeric, is the text of its digits."""
    numbers = [place for place, column in enumerate(columns) if column.is_number]
    shown = [list(row) for row in rows]
    for row in shown:
        for place in numbers:
            value = row[place]
            if isinstance(value, float) or (type(value) is int and abs(value) > MAX_EXACT):
                row[place] = exact_text(value, columns[place].type)
    heads = [
        {"name": one.name, "type": shorten_type(one.type), "kind": one.kind.value}
        for one in columns
    ]
    return {"name": name, "columns": heads, "rows": shown}


def _show_rows(
    rows: Sequence[Sequence[JsonValue]], columns: Sequence[ShownColumn]
) -> tuple[tuple[ShownCell, ...], ...]:
    shown: list[tuple[ShownCell, ...]] = []
    room = TABLE_CHARACTERS
    for row in rows[:ROWS_DRAWN]:
        cells = tuple(_show_cell(value, column) for value, column in zip(row, columns, strict=True))
        room -= sum(len(cell.short) + len(cell.text) for cell in cells)
        if room < 0 and shown:
            break
        shown.append(cells)
    return tuple(shown)


def _show_cell(value: JsonValue, column: ShownColumn) -> ShownCell:
    if value is None or value == "":
        return ShownCell("empty" if value == "" else "null", is_empty=True)
    text = exact_text(value, column.type)
    if len(text) <= SHORT_CHARACTERS and "\n" not in text:
        return ShownCell(text, is_number=column.is_number)
    left_out = max(0, len(text) - CELL_CHARACTERS)
    return ShownCell(_shorten(text, SHORT_CHARACTERS), text[:CELL_CHARACTERS], left_out=left_out)


def _shorten(text: str, limit: int) -> str:
    line = " ".join(text[: limit * 2].split())
    return line if len(line) <= limit and len(text) <= limit * 2 else f"{line[: limit - 1]}…"


def _write_answer(trial: Trial) -> str:
    """The structured answer, always with its rows, one a line."""
    rest = indent_json(
        {key: value for key, value in trial.structured.items() if key not in {"columns", "rows"}}
    ).removeprefix("{\n")
    columns, room, lines = encode_json(list(trial.columns)).decode(), TEXT_CHARACTERS + 1, []
    for row in trial.rows:
        lines.append(f"    {encode_json(row).decode()}")
        room -= len(lines[-1])
        if room < 0:
            break
    rows = "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"
    return f'{{\n  "columns": {columns},\n  "rows": {rows},\n{rest}'


def _clip(text: str) -> ClippedText:
    return ClippedText(text[:TEXT_CHARACTERS], len(text))
