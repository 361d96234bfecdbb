"""Checks the evaluation set in data/ and prints its counts; ends with 1 if anything is wrong.

`check_data.py [openapi.json]`: with GitHub's OpenAPI document, operationIds are looked up too.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parent / "data"
LANGUAGES = ("ko", "ja", "en")
KINDS = ("read", "write", "delete")
HALVES = ("tuning", "held_out")
HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
TYPES = {
    *("STRING", "NUMBER", "BOOLEAN", "INTEGER", "DATE", "DATETIME", "ENUM"),
    *("STRING_LIST", "NUMBER_LIST", "INTEGER_LIST"),
}
GITHUB_QUESTIONS_PER_LANGUAGE = {"ko": 24, "ja": 24, "en": 48}
PLAIN_QUESTIONS_PER_LANGUAGE = {"ko": 12, "ja": 12, "en": 24}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSet:
    """The tools of one business, the questions over them, and how many of which there should be."""

    tools: list[Row]
    questions: list[Row]
    tools_per_language: Mapping[str, int]
    questions_per_language: Mapping[str, int]
    least_of_kind: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """The tables of one business, the questions over their columns, and how many in each language."""

    name: str
    tables: list[Row]
    questions: list[Row]
    tables_per_language: int
    questions_per_language: int


@dataclass(frozen=True, slots=True)
class DataSet:
    """All files as read."""

    retailer: ToolSet
    service: ToolSet
    plant: ToolSet
    columns: Sequence[ColumnSet]
    github_questions: list[Row]
    plain_questions: list[Row]


def read_data(folder: Path = DATA) -> DataSet:
    """The evaluation set in `folder`."""
    return DataSet(
        retailer=ToolSet(
            tools=read_yaml(folder / "tools.yaml"),
            questions=read_yaml(folder / "questions.yaml"),
            tools_per_language={"ko": 48, "ja": 48, "en": 48},
            questions_per_language={"ko": 100, "ja": 100, "en": 100},
            least_of_kind={"write": 60, "delete": 25},
        ),
        service=ToolSet(
            tools=read_yaml(folder / "service_tools.yaml"),
            questions=read_yaml(folder / "service_questions.yaml"),
            tools_per_language={"ko": 33, "ja": 33, "en": 34},
            questions_per_language={"ko": 50, "ja": 50, "en": 50},
            least_of_kind={"write": 40, "delete": 8},
        ),
        plant=ToolSet(
            tools=read_yaml(folder / "plant_tools.yaml"),
            questions=read_yaml(folder / "plant_questions.yaml"),
            tools_per_language={"ko": 16, "ja": 16, "en": 16},
            questions_per_language={"ko": 31, "ja": 32, "en": 33},
            least_of_kind={"write": 30, "delete": 8},
        ),
        columns=(
            read_columns("retailer", folder / "columns.yaml", of_tables=5, of_questions=25),
            read_columns("plant", folder / "plant_columns.yaml", of_tables=4, of_questions=14),
            read_columns("clinics", folder / "clinic_columns.yaml", of_tables=4, of_questions=14),
        ),
        github_questions=read_yaml(folder / "github_questions.yaml"),
        plain_questions=read_yaml(folder / "github_plain_questions.yaml"),
    )


def read_columns(name: str, path: Path, *, of_tables: int, of_questions: int) -> ColumnSet:
    """A set of columns that should have so many tables and questions in each language."""
    read = read_yaml(path)
    return ColumnSet(name, read["tables"], read["questions"], of_tables, of_questions)


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def get_half(question_id: str) -> str:
    """The half that the split rule gives: SHA-256 of the id, as a number, even = tuning."""
    digest = hashlib.sha256(question_id.encode()).digest()
    return "tuning" if digest[-1] % 2 == 0 else "held_out"


def get_kind(tool: Row) -> str:
    """read, write or delete, as the tool's annotations say."""
    hints = tool["annotations"]
    if hints["readOnlyHint"]:
        return "read"
    return "delete" if hints["destructiveHint"] else "write"


def find_repeated(values: Iterable[str], what: str) -> Iterator[str]:
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{what} {value!r} occurs {times} times"


def find_miscounts(values: Iterable[str], wanted: Mapping[str, int], what: str) -> Iterator[str]:
    counted = Counter(values)
    if counted != wanted:
        yield f"{what}: {dict(counted)}, should be {wanted}"


def check_tools(tool_set: ToolSet) -> Iterator[str]:
    """What is wrong with the tools."""
    yield from find_repeated((tool["name"] for tool in tool_set.tools), "tool")
    languages = (tool["language"] for tool in tool_set.tools)
    yield from find_miscounts(languages, tool_set.tools_per_language, "tools by language")
    for tool in tool_set.tools:
        yield from check_tool(tool)


def check_tool(tool: Row) -> Iterator[str]:
    name = tool["name"]
    if not (name.isascii() and name.isidentifier() and name == name.lower()):
        yield f"{name}: the name is not snake_case"
    if not (tool["title"] and tool["description"]):
        yield f"{name}: title or description is empty"
    if set(tool["annotations"]) != HINTS:
        yield f"{name}: the annotations should be {sorted(HINTS)}"
    yield from find_repeated((p["name"] for p in tool["parameters"]), f"{name}: parameter")
    for parameter in tool["parameters"]:
        if parameter["type"] not in TYPES or not parameter["description"]:
            yield f"{name}: parameter {parameter['name']} has no known type or no description"


def check_common(questions: list[Row], per_language: Mapping[str, int]) -> Iterator[str]:
    """What is wrong with the fields that all questions have: id, text, language, half."""
    yield from find_repeated((question["id"] for question in questions), "id")
    yield from find_repeated((question["text"] for question in questions), "text")
    languages = (question["language"] for question in questions)
    yield from find_miscounts(languages, per_language, "questions by language")
    for question in questions:
        if not has_script_of(question["text"], question["language"]):
            yield f"{question['id']}: the text is not {question['language']}"
        if question["half"] != get_half(question["id"]):
            yield f"{question['id']}: half should be {get_half(question['id'])}"


def has_script_of(text: str, language: str) -> bool:
    """Hangul means Korean; kana or kanji without Hangul, Japanese; neither, English."""
    hangul = any("\uac00" <= letter <= "\ud7a3" for letter in text)
    kana = any("\u3040" <= letter <= "\u9fff" or "\uff66" <= letter <= "\uff9f" for letter in text)
    return language == ("ko" if hangul else "ja" if kana else "en")


def check_gold(questions: list[Row], field: str, known: set[str], most: int) -> Iterator[str]:
    """Gold names that do not exist, are repeated, or are too many or none."""
    for question in questions:
        gold = question[field]
        yield from (
            f"{question['id']}: {name} does not exist" for name in gold if name not in known
        )
        if not 1 <= len(set(gold)) == len(gold) <= most:
            yield f"{question['id']}: {len(gold)} gold {field}, repeated or not 1 to {most}"


def check_questions(data: ToolSet) -> Iterator[str]:
    """What is wrong with the questions over the tools."""
    tools = {tool["name"]: tool for tool in data.tools}
    yield from check_common(data.questions, data.questions_per_language)
    yield from check_gold(data.questions, "tools", set(tools), most=3)
    asked = {name for question in data.questions for name in question["tools"]}
    yield from (f"{name} is never gold" for name in tools if name not in asked)
    kinds = Counter(question["kind"] for question in data.questions)
    for kind, least in data.least_of_kind.items():
        if kinds[kind] < least:
            yield f"{kinds[kind]} {kind} questions, should be at least {least}"
    for question in data.questions:
        best = tools.get(question["tools"][0])
        if best and question["kind"] != get_kind(best):
            yield f"{question['id']}: kind should be {get_kind(best)}"


def name_columns(tables: list[Row]) -> list[str]:
    return [f"{table['name']}.{column['name']}" for table in tables for column in table["columns"]]


def check_columns(data: ColumnSet) -> Iterator[str]:
    """What is wrong with the tables and the questions over their columns."""
    names = name_columns(data.tables)
    yield from find_repeated(names, "column")
    languages = (table["language"] for table in data.tables)
    tables_wanted = dict.fromkeys(LANGUAGES, data.tables_per_language)
    yield from find_miscounts(languages, tables_wanted, f"{data.name}: tables by language")
    keys = [c.get("foreign_key") for table in data.tables for c in table["columns"]]
    yield from (
        f"foreign key to {key}, which does not exist" for key in keys if key and key not in names
    )
    yield from check_common(data.questions, dict.fromkeys(LANGUAGES, data.questions_per_language))
    yield from check_gold(data.questions, "columns", set(names), most=5)
    for question in data.questions:
        if len(question["columns"]) < 2:
            yield f"{question['id']}: a question should need at least two columns"


def check_github(
    questions: list[Row], per_language: Mapping[str, int], document: Path | None
) -> Iterator[str]:
    """What is wrong with questions over GitHub; without `document` ids are not looked up."""
    gold = {name for question in questions for name in question["operations"]}
    known = read_operation_ids(document) if document else gold
    yield from check_common(questions, per_language)
    yield from check_gold(questions, "operations", known, most=3)
    yield from (f"{q['id']}: unknown kind" for q in questions if q["kind"] not in KINDS)


def read_operation_ids(document: Path) -> set[str]:
    paths = json.loads(document.read_text(encoding="utf-8"))["paths"].values()
    operations = (each for path in paths for each in path.values() if isinstance(each, dict))
    return {each["operationId"] for each in operations if "operationId" in each}


def print_counts(tool_set: ToolSet) -> None:
    """Counts as Markdown: language pairs of question and best tool, then kinds by half."""
    questions = tool_set.questions
    language_of = {tool["name"]: tool["language"] for tool in tool_set.tools}
    pairs = Counter((q["language"], language_of.get(q["tools"][0])) for q in questions)
    print("\n| question \\ tool | ko | ja | en | all |\n|---|---|---|---|---|")
    for asked in LANGUAGES:
        row = [pairs[asked, told] for told in LANGUAGES]
        print(f"| {asked} | {' | '.join(map(str, row))} | {sum(row)} |")
    kinds = Counter((q["half"], q["kind"]) for q in questions)
    print("\n| half | read | write | delete | all |\n|---|---|---|---|---|")
    for half in HALVES:
        row = [kinds[half, kind] for kind in KINDS]
        print(f"| {half} | {' | '.join(map(str, [*row, sum(row)]))} |")
    tools = Counter(get_kind(tool) for tool in tool_set.tools)
    print(f"\n{len(tool_set.tools)} tools: {', '.join(f'{tools[kind]} {kind}' for kind in KINDS)}")


def print_other_counts(data: DataSet) -> None:
    """How many questions over columns and over GitHub there are in each half."""
    others = {
        **{f"columns, {each.name}": each.questions for each in data.columns},
        "GitHub": data.github_questions,
        "GitHub, plain": data.plain_questions,
    }
    for name, questions in others.items():
        halves = Counter(question["half"] for question in questions)
        print(f"{name}: {', '.join(f'{halves[half]} {half}' for half in HALVES)}")
    for each in data.columns:
        count = len(name_columns(each.tables))
        print(f"columns, {each.name}: {len(each.tables)} tables, {count} columns")


def main(arguments: list[str]) -> int:
    """0 if the set is sound, else 1."""
    data = read_data()
    businesses = (data.retailer, data.service, data.plant)
    document = Path(arguments[0]) if arguments else None
    wrong = [
        *(fault for each in businesses for fault in check_tools(each)),
        *(fault for each in businesses for fault in check_questions(each)),
        *(fault for each in data.columns for fault in check_columns(each)),
        *check_github(data.github_questions, GITHUB_QUESTIONS_PER_LANGUAGE, document),
        *check_github(data.plain_questions, PLAIN_QUESTIONS_PER_LANGUAGE, document),
    ]
    print("\n".join(wrong))
    for tool_set in businesses:
        print_counts(tool_set)
    print_other_counts(data)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
