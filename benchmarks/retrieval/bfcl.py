"""Functions and questions of the Berkeley Function Calling Leaderboard, pooled as one catalogue each.

Its data are under the Apache License 2.0; they stay in the wheel that was fetched.
"""

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.retrieval.check_data import get_half
from benchmarks.retrieval.questions import Catalogue, Half, Question
from core.retrieval.actions import kind_of_tool
from core.retrieval.model import Tool, ToolParameter
from core.retrieval.tokens import language_of

# Where each question chooses among several functions; the others offer a single one.
PARTS = ("multiple", "live_multiple")
Row = dict[str, Any]


def bfcl_catalogues(wheel: Path) -> list[Catalogue]:
    """One catalogue for each part, whose questions are asked over the functions of all of them.

    Of functions with one name the first is kept. Kinds are those that the product reads off names
    and descriptions, since no function has annotations.
    """
    with zipfile.ZipFile(wheel) as opened:
        return [_catalogue(part, opened) for part in PARTS]


def _catalogue(part: str, wheel: zipfile.ZipFile) -> Catalogue:
    rows = _read_lines(wheel, f"BFCL_v4_{part}.json")
    answers = _read_lines(wheel, f"possible_answer/BFCL_v4_{part}.json")
    gold = {row["id"]: tuple(dict.fromkeys(_called(row))) for row in answers}
    functions: dict[str, Row] = {}
    for row in rows:
        for function in row["function"]:
            functions.setdefault(function["name"], function)
    tools = {name: _read_tool(function) for name, function in functions.items()}
    return Catalogue(
        name=f"bfcl {part}",
        tools=tuple(tools.values()),
        questions=tuple(_read_question(row, gold[row["id"]], tools) for row in rows),
        languages={name: language_of(tool.description) for name, tool in tools.items()},
        kinds={name: kind_of_tool(tool) for name, tool in tools.items()},
    )


def _read_lines(wheel: zipfile.ZipFile, name: str) -> list[Row]:
    text = wheel.read(f"bfcl_eval/data/{name}").decode()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _called(answer: Row) -> Iterable[str]:
    return (name for call in answer["ground_truth"] for name in call)


def _read_question(row: Row, gold: tuple[str, ...], tools: dict[str, Tool]) -> Question:
    turn = row["question"][0]
    text = " ".join(said["content"] for said in turn if said["role"] == "user")
    half: Half = "tuning" if get_half(row["id"]) == "tuning" else "held_out"
    kind = kind_of_tool(tools[gold[0]])
    return Question(row["id"], text, language_of(text), gold, kind, half)


def _read_tool(function: Row) -> Tool:
    parameters = function.get("parameters", {})
    required = set(parameters.get("required", ()))
    return Tool(
        name=function["name"],
        description=function.get("description", ""),
        parameters=tuple(
            _read_parameter(name, given, is_required=name in required)
            for name, given in parameters.get("properties", {}).items()
        ),
    )


def _read_parameter(name: str, given: Row, *, is_required: bool) -> ToolParameter:
    values = given.get("enum")
    return ToolParameter(
        name=name,
        type=str(given.get("type", "string")),
        description=str(given.get("description", "")),
        required=is_required,
        enum=tuple(values) if isinstance(values, list) else None,
    )
