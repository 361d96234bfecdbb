"""What the scripted model answers: each role's part, from the sections of its prompt."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.agents.demo_llm.lookups import TABLE_DETAILS, add_answers, find_undescribed
from tests.agents.demo_llm.mending import mend, misspell
from tests.agents.demo_llm.plan import Plan, Planner
from tests.agents.demo_llm.prompt import Prompt
from tests.agents.demo_llm.reading import Reading, read_question
from tests.agents.demo_llm.schema import Column, Schema, read_schema
from tests.agents.demo_llm.sql import write_sql
from tests.agents.demo_llm.variants import NOTICE, Variant

PROSE = "I would need to think about that for a while; it is an interesting question about data."
_FIELDS = ("requested_columns", "conditional_columns", "inferred_columns")
_STANDARDIZER = "column_name_standardizer"
_TRANSFER = "transfer_to_agent"
_AGENT_NAME = re.compile(r"Agent name: (\w+)")
_EARLIER = re.compile(r"^- (.+)$", re.MULTILINE)
_WHERE = re.compile(r"^WHERE .*?(?=^(?:GROUP|ORDER|LIMIT)|\Z)", re.MULTILINE | re.DOTALL)
_NBSP = "\u00a0"


@dataclass(frozen=True)
class Answer:
    """Text, or a call of the tool with these arguments."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] | None = None


def answer(prompt: Prompt, variant: Variant) -> Answer:
    """The answer to a prompt; a role that it does not know gets a sentence."""
    if prompt.last_role == "tool" and prompt.role != _STANDARDIZER:
        return Answer(f"The tool answered: {prompt.last_text[:500]}")
    if _TRANSFER in prompt.tools and prompt.role not in _ROLES:
        return _hand_over(prompt)
    if variant is Variant.PROSE:
        return Answer(PROSE)
    play = _ROLES.get(prompt.role)
    return play(prompt, variant) if play else Answer(f"This is a {NOTICE}.")


def _hand_over(prompt: Prompt) -> Answer:
    if not (read_question(prompt.question).subject or prompt.section("Earlier questions")):
        return Answer(f"Ask a question about the data. This is a {NOTICE}.")
    properties = (prompt.tools[_TRANSFER].get("parameters") or {}).get("properties") or {}
    names = (properties.get("agent_name") or {}).get("enum") or []
    names += _AGENT_NAME.findall(prompt.instruction)
    return Answer(tool=_TRANSFER, arguments={"agent_name": (names or ["data_search_agent"])[0]})


def _extract(prompt: Prompt, variant: Variant) -> Answer:
    if variant is Variant.SAYS_WRITE:
        return Answer(_json({"request": "write"}))
    if variant is Variant.ASKS and not prompt.section("Feedback"):
        return Answer(_json({"ask": "By the date of the order, or of the delivery?"}))
    # A reply to what was asked back comes below the question.
    question = prompt.question.partition("\n")[0]
    reading, whole = read_question(question), ""
    if not reading.subject and (earlier := _EARLIER.findall(prompt.section("Earlier questions"))):
        whole = f"{earlier[-1].rstrip('?. ')} {question}"
        reading = read_question(whole)
    subject = () if variant is Variant.EMPTY_COLUMNS else reading.subject
    if variant is Variant.EMPTY_COLUMNS or not subject:
        return Answer(_json({"requested_entity": "", **{name: [] for name in _FIELDS}}))
    conditions = [c.keyword for c in reading.comparisons]
    grouped = [*reading.groups, *filter(None, [reading.bucket_phrase])]
    return Answer(
        _json(
            {
                **({"whole_question": whole} if whole else {}),
                "requested_entity": subject[-1],
                "requested_columns": list(subject),
                "conditional_columns": [*filter(None, [reading.period.phrase]), *conditions],
                "inferred_columns": grouped,
            }
        )
    )


def _review_extraction(prompt: Prompt, variant: Variant) -> Answer:
    items = [{"extracted_column_name": name} for name in dict.fromkeys(_names_of(prompt))]
    if not items:
        return Answer("No column is named: say which columns the question asks for.")
    arguments = {"extracted_columns": {"items": items}}
    if variant is Variant.CALLS_EARLIER_NAME:
        return Answer(tool="exit_column_extraction_loop", arguments=arguments)
    return _call(prompt, "complete_column_extraction", arguments)


def _standardize(prompt: Prompt, variant: Variant) -> Answer:
    schema = _schema(prompt)
    if not schema.columns:
        return Answer("There are no reference documents here to map the keywords with.")
    if not _read_json(prompt.section("Keywords"), dict):
        return Answer("There are no keywords to map.")
    missing = find_undescribed(schema)
    if missing and TABLE_DETAILS in prompt.tools and not prompt.tool_answers:
        return Answer(tool=TABLE_DETAILS, arguments={"table_names": missing})
    plan = Planner(schema, list(schema.columns.values())).plan(
        read_question(prompt.question.partition("\n")[0])
    )
    if plan is None:
        return Answer(_json({"missing": _names_of(prompt)}))
    return Answer(
        _json(
            [
                {"keyword": phrase, "table": column.table_path, "column": column.name}
                for column, phrase in plan.keywords.items()
                if variant is not Variant.DROPS_NAMES or not column.is_date
            ]
        )
    )


def _review_standards(prompt: Prompt, variant: Variant) -> Answer:
    columns = _read_json(prompt.section("Columns"), list)
    if not columns:
        return Answer("No keyword is mapped to a column yet.")
    return _call(prompt, "complete_column_standardization", {"columns": columns})


def _generate(prompt: Prompt, variant: Variant) -> Answer:
    schema, reading = _schema(prompt), read_question(prompt.question.partition("\n")[0])
    plan = _plan_by_columns(prompt, schema, reading)
    if plan is None:
        return Answer("There are no standard columns to write a query with.")
    if variant is Variant.WRITES:
        return Answer(" ".join(("DELETE FROM", plan.table)))
    sql = write_sql(plan, reading, schema)
    if variant is Variant.FORGETS_CONDITIONS:
        sql = _WHERE.sub("", sql)
    if variant is Variant.SHOWS_EMAILS:
        sql = "SELECT u.email, u.* FROM public.users u"
    if variant is Variant.MISSPELLS_FIRST:
        sql = misspell(sql, _names(plan))
    if feedback := prompt.section("Feedback"):
        sql = mend(sql, feedback, schema)
    if variant is Variant.FENCED_NBSP:
        spaced = sql.replace(" ", _NBSP)
        return Answer(
            f"Here is the query:\n\n```sql\n{spaced};\n```\n\nIt reads the rows asked for."
        )
    return Answer(sql)


def _plan_by_columns(prompt: Prompt, schema: Schema, reading: Reading) -> Plan | None:
    """The plan with the standard columns only; their types and keys are the catalogue's."""
    phrases: dict[Column, str] = {}
    for row in _read_json(prompt.section("Columns"), list) or []:
        if isinstance(row, dict):
            table = str(row.get("table", "")).rpartition(".")[2]
            name = str(row.get("column", ""))
            column = schema.columns.get((table, name), Column(table, name))
            phrases[column] = str(row.get("keyword", ""))
    return Planner(schema, list(phrases), phrases).plan(reading) if phrases else None


def _names_of(prompt: Prompt) -> list[str]:
    found = _read_json(prompt.section("Keywords"), dict) or {}
    return [str(name) for field in _FIELDS for name in found.get(field) or []]


def _names(plan: Plan) -> list[str]:
    measures = [plan.measure] if plan.measure else []
    return [column.name for column in (*measures, *plan.groups, *plan.listed, *plan.keywords)]


def _review_sql(prompt: Prompt, variant: Variant) -> Answer:
    sql = prompt.section("SQL")
    if not sql:
        return Answer("There is no statement to run.")
    return _call(prompt, "execute_postgres_query", {"sql_query": sql})


def _call(prompt: Prompt, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """The call, by the name that the tool goes by here."""
    name = next((name for name in prompt.tools if name.endswith(tool)), None)
    if name is None:
        return Answer(f"The tool {tool} is needed here and was not offered.")
    return Answer(tool=name, arguments=arguments)


def _schema(prompt: Prompt) -> Schema:
    sections = map(prompt.section, ("Catalogue", "Reference documents", "Notes"))
    schema = read_schema(*sections)
    add_answers(schema, prompt.tool_answers)
    return schema


def _read_json(text: str, kind: type[Any]) -> Any:
    """The first JSON value of this kind in the text, or None."""
    opening = "{" if kind is dict else "["
    for match in re.finditer(re.escape(opening), text):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, match.start())
        except ValueError:
            continue
        return value if isinstance(value, kind) else None
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_ROLES: dict[str, Callable[[Prompt, Variant], Answer]] = {
    "column_name_extractor": _extract,
    "column_name_reviewer": _review_extraction,
    _STANDARDIZER: _standardize,
    "column_name_standard_reviewer": _review_standards,
    "sql_generator": _generate,
    "sql_reviewer": _review_sql,
}
