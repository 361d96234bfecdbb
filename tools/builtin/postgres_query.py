"""`execute_postgres_query`: one SELECT of the agent's own on the default data source."""

import asyncio
import re
import unicodedata
from collections.abc import Mapping
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
from core.grants import BuiltinGroup
from core.messages import message
from core.results import Answer, QueryResult, structured_content
from core.statement import STATEMENT_BYTE_LIMIT, compile_statement
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    DEFAULT_TIMEOUT_MS,
    JsonValue,
    ParameterSpec,
    ParameterType,
)
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
_CAPS = ("row_count", "truncated", "applied_limit", "notes")

SPEC = BuiltinSpec(
    name="execute_postgres_query",
    group=BuiltinGroup.DATABASE,
    runs_free_sql=True,
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

# SQL as agents send it: code fences, blanks and signs of other keyboards, colons that bind nothing.
_FENCED = re.compile(
    r"\s*```(?:[\w+-]*[ \t]*\r?\n|(?:postgresql|postgres|pgsql|psql|sql)\b)?(?P<sql>.*?)(?:```\s*)?\Z",
    re.DOTALL | re.IGNORECASE,
)
# Strings, quoted names and comments: what is in them is meant as it is. One that is never closed goes
# on to the end, so that reading stays linear.
_LITERAL = (
    r"(?<![\w$])[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)"
    r"|(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)|--[^\n\r]*|/\*.*?(?:\*/|\Z)"
)
_CODE = r"(?:[^'\"$/eE-]|[eE](?!')|-(?!-)|/(?!\*))+"
_LITERAL_OR_CODE = re.compile(rf"(?P<literal>{_LITERAL})|{_CODE}|.", re.DOTALL)
# Directly after a value or "[", a colon separates; nothing is bound here, so it can mean nothing else.
_LITERAL_OR_SEPARATOR = re.compile(
    rf"(?P<literal>{_LITERAL})|(?<=[\w\])'\"\[]):(?=[^\W\d])", re.DOTALL
)
# At the very end it cannot be a part of a name, and PostgreSQL would make it one: AS total；
_WIDE_END = re.compile(r"；(?=\s*\Z)")
_BLANKS = {
    code: " "
    for code in range(0x80, 0x3001)
    if unicodedata.category(chr(code)) in {"Zs", "Zl", "Zp"} or code == 0x85
}
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), "")
_WIDE_QUOTES = {0xFF02, 0xFF07}
# U+FF01 to U+FF5E are ASCII's signs in the width of an ideograph.
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in _WIDE_QUOTES}
_AS_WRITTEN = {**_BLANKS, **_INVISIBLE}
_ALL_ASCII = {**_AS_WRITTEN, **_WIDE, ord("、"): ","}


class _QueryArguments(ArgumentsValidator):
    """And who asks: callers that wait for the database take turns."""

    def __call__(self, arguments: Arguments, facts: CallerFacts = NOBODY) -> dict[str, object]:
        return {**super().__call__(arguments, facts), "caller": facts.key_id or facts.owner}


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
    """The rows of the first reading of the statement that the database takes."""
    *earlier, last = find_readings(values["sql_query"])
    error: ToolboxError
    try:
        async with asyncio.timeout(DEFAULT_TIMEOUT_MS / 1_000 + DEADLINE_MARGIN_S):
            source, caller = sources.get(None), values["caller"]
            for sql in earlier:
                with suppress(StatementError):
                    return _report(sql, await _run(sql, source, caller))
            return _report(last, await _run(last, source, caller))
    except TimeoutError:
        error = DataSourceUnavailableError(_NO_ANSWER)
    except ToolboxError as refusal:
        error = refusal
    structured = {"status": "error", "message": f"Error while querying DB: {_explain(error)}"}
    return RefusedAnswer(structured=structured, texts=(json_text(structured),), error=error)


async def _run(sql: str, source: QuerySource, caller: str) -> QueryResult:
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
    # The database's own words for a refusal; run() finds the statement described already.
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
    content = structured_content(result, include_rows=False)
    caps = {key: content[key] for key in _CAPS if key in content}
    structured = {
        "status": "success",
        "message": "SQL executed.",
        "data": {"type": "csv_table", "content": {"sql": sql, "records": records, **caps}},
    }
    return json_answer(structured, row_count=len(records), truncated=result.truncated)


def _explain(error: ToolboxError) -> str:
    """The database's words with ' for ", and what would help where they do not say it."""
    text = str(error).replace('"', "'")
    if (
        text.startswith("syntax error")
        and isinstance(error, StatementError)
        and error.position is not None
    ):
        return f"{text} (character {error.position + 1}); correct the statement"
    if text.startswith("permission denied") and isinstance(error, DataSourceError | StatementError):
        return f"{text}; use another table, or ask the administrator for the right to read it"
    return text


def find_readings(text: str) -> list[str]:
    """The statement that the text holds, and after it what it may mean if the database refuses it.

    The second reading, only where it differs, takes wide signs for ASCII ones. Japanese and Korean
    names may hold such signs without quotes, so the text as it was written comes first.
    """
    fenced = _FENCED.match(text)
    sql = fenced["sql"].strip() if fenced else text
    if sql.isascii() or len(sql) > STATEMENT_BYTE_LIMIT:
        return [sql]
    ended = _WIDE_END.sub(";", sql)

    def translate(table: dict[int, str]) -> str:
        return _LITERAL_OR_CODE.sub(
            lambda match: match["literal"] or match[0].translate(table), ended
        )

    return list(dict.fromkeys(map(translate, (_AS_WRITTEN, _ALL_ASCII))))


def separate_colons(sql: str) -> str:
    """The statement with a blank behind each colon of a slice or of json_object(), so that it binds nothing."""
    if ":" not in sql or len(sql) > STATEMENT_BYTE_LIMIT:
        return sql
    return _LITERAL_OR_SEPARATOR.sub(lambda match: match["literal"] or ": ", sql)
