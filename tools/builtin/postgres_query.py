"""`execute_postgres_query`: one SELECT of the agent's own on the default data source."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from core.arguments import ArgumentsValidator, input_schema
from core.bindings import NOBODY, CallerFacts
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DefinitionError,
    StatementError,
    ToolboxError,
)
from core.execution import Query, QuerySource, QuerySources
from core.formatting import distinct_names
from core.messages import message
from core.results import Answer, QueryResult, structured_content
from core.statement import compile_statement
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    DEFAULT_TIMEOUT_MS,
    JsonValue,
    ParameterSpec,
    ParameterType,
)
from tools.builtin.agent_sql import find_readings, separate_colons
from tools.builtin.tool import (
    Arguments,
    BuiltinSpec,
    BuiltinTool,
    RefusedAnswer,
    json_answer,
    json_text,
    object_schema,
)

# The source ends a query at the limit itself; parsing it comes on top.
DEADLINE_MARGIN_S = 1.0
_NO_ANSWER = message("source.no_answer_yet", "the data source does not answer; try again later")
_MISSING_RIGHT = "permission denied"
_SYNTAX = "syntax error"
_CAPS = ("row_count", "truncated", "applied_limit", "notes")

SPEC = BuiltinSpec(
    name="execute_postgres_query",
    title="Run a PostgreSQL query",
    description="""\
Runs one SQL SELECT on the organisation's PostgreSQL database and returns the rows as records, one \
{column: value} object a row, ready to be saved as CSV.
Use it once you know the tables and columns (get_sql_reference_documents finds them). Write complete \
PostgreSQL with the values in it; :name and $1 are not bound. Reading only: INSERT, UPDATE, DELETE and DDL \
are refused. Add a LIMIT, or aggregate: at most 1,000 rows are returned, and `truncated` says that there are more.
A failed query answers with status "error" and the database's words; correct the SQL and call again.
한국어: PostgreSQL 데이터베이스에 SQL SELECT 문을 실행해 데이터를 조회하고, 결과 행을 레코드 목록(CSV 표)으로 돌려줍니다.
日本語: PostgreSQL データベースで SQL の SELECT 文を実行してデータを照会し、結果の行をレコードの一覧(CSV の表)で返します。""",
    tags=("database", "sql"),
)
_PARAMETERS = (
    ParameterSpec(
        name="sql_query",
        type=ParameterType.STRING,
        description="One complete PostgreSQL SELECT statement (WITH, VALUES and TABLE work too).",
        example="SELECT user_id, username, email FROM users WHERE created_at > '2024-01-01' LIMIT 10",
    ),
)
_CONTENT = object_schema(
    {
        "sql": {"type": "string", "description": "The statement that was run."},
        "records": {"type": "array", "items": {"type": "object"}},
        "row_count": {"type": "integer"},
        "truncated": {"type": "boolean"},
        "applied_limit": {"type": "integer", "description": "Rows that an answer has at most."},
    },
    {"notes": {"type": "array", "items": {"type": "string"}}},
)
_OUTPUT = object_schema(
    {
        "status": {"type": "string", "enum": ["success", "error"]},
        "message": {"type": "string"},
    },
    {
        "data": object_schema(
            {"type": {"type": "string", "enum": ["csv_table"]}, "content": _CONTENT}
        )
    },
)


class _QueryArguments(ArgumentsValidator):
    """And who asks: callers that wait for the database take turns."""

    def __call__(self, arguments: Arguments, facts: CallerFacts = NOBODY) -> dict[str, object]:
        return {**super().__call__(arguments, facts), "caller": facts.key_id}


def postgres_query_tool() -> BuiltinTool:
    """The tool; it needs nothing but the data sources of the call."""
    return BuiltinTool(
        spec=SPEC,
        input_schema=input_schema(_PARAMETERS),
        output_schema=_OUTPUT,
        check=_QueryArguments(SPEC.name, _PARAMETERS),
        execute=_answer,
    )


async def _answer(values: Mapping[str, Any], sources: QuerySources) -> Answer:
    try:
        async with asyncio.timeout(DEFAULT_TIMEOUT_MS / 1_000 + DEADLINE_MARGIN_S):
            readings, caller = find_readings(values["sql_query"]), values["caller"]
            sql, result = await _run(readings, sources.get(None), caller)
    except TimeoutError:
        return _refuse(DataSourceUnavailableError(_NO_ANSWER))
    except ToolboxError as error:
        return _refuse(error)
    return _report(sql, result)


async def _run(
    readings: Sequence[str], source: QuerySource, caller: str
) -> tuple[str, QueryResult]:
    """The first reading that the database takes, and its rows."""
    *earlier, last = readings
    for sql in earlier:
        with suppress(StatementError):
            return sql, await _run_statement(sql, source, caller)
    return last, await _run_statement(last, source, caller)


async def _run_statement(sql: str, source: QuerySource, caller: str) -> QueryResult:
    statement = compile_statement(separate_colons(sql))
    if statement.placeholders:
        first = statement.placeholders[0]
        raise DefinitionError(
            message(
                "statement.nothing_bound",
                "nothing can be bound to :{name} here; write the value itself into the"
                " statement, as in WHERE region = 'KR'",
                name=first.name,
            )
        )
    # Its own words for a refusal; run() finds the statement described already.
    await source.check(statement, (), caller)
    return await source.run(
        Query(
            statement=statement,
            types=(),
            values={},
            row_limit=DEFAULT_ROW_LIMIT,
            byte_limit=DEFAULT_BYTE_LIMIT,
            timeout_ms=DEFAULT_TIMEOUT_MS,
            caller=caller,
        )
    )


def _report(sql: str, result: QueryResult) -> Answer:
    names = distinct_names(result.columns)
    records: list[JsonValue] = [dict(zip(names, row, strict=True)) for row in result.rows]
    told = structured_content(result, include_rows=False)
    caps = {key: told[key] for key in _CAPS if key in told}
    structured = {
        "status": "success",
        "message": "SQL executed.",
        "data": {"type": "csv_table", "content": {"sql": sql, "records": records, **caps}},
    }
    return json_answer(structured, row_count=len(records), truncated=result.truncated)


def _refuse(error: ToolboxError) -> Answer:
    structured = {"status": "error", "message": f"Error while querying DB: {_explain(error)}"}
    return RefusedAnswer(structured=structured, texts=(json_text(structured),), error=error)


def _explain(error: ToolboxError) -> str:
    """The database's words with ' for ", and what would help where they do not say it."""
    text = str(error).replace('"', "'")
    if (
        text.startswith(_SYNTAX)
        and isinstance(error, StatementError)
        and error.position is not None
    ):
        return f"{text} (character {error.position + 1}); correct the statement"
    if text.startswith(_MISSING_RIGHT) and isinstance(error, DataSourceError | StatementError):
        return f"{text}; use another table, or ask the administrator for the right to read it"
    return text
