"""`list_table_summaries`, `get_tags`, `get_table_details` and `get_connection_info`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from core.argument_texts import NOT_BLANK, list_faults, name_fault
from core.arguments import ArgumentsValidator, input_schema
from core.bindings import NOBODY, CallerFacts
from core.catalogue.budgets import DETAILED_TABLES
from core.errors import ArgumentsError
from core.execution import QuerySources
from core.grants import BuiltinGroup
from core.messages import Message, message
from core.results import Answer
from core.toolspec import ParameterSpec, ParameterType, Presence
from tools.builtin.catalogue import CatalogueReader
from tools.builtin.tool import (
    Arguments,
    BuiltinSpec,
    BuiltinTool,
    json_answer,
    object_schema,
)

SUMMARIES = BuiltinSpec(
    name="list_table_summaries",
    group=BuiltinGroup.CATALOGUE,
    title="List the tables of the data catalogue",
    description="""\
Lists all tables of the data catalogue: name, display name, short description, tags and estimated number of rows.
Call it first, before any analysis, to see which data there is; columns and sample rows are not in it. Then call \
get_table_details for the few tables that the question needs.
한국어: 데이터 카탈로그에 있는 전체 테이블의 개요를 조회합니다. 어떤 데이터가 있는지 파악할 때 가장 먼저 호출하세요. 칼럼과 샘플 데이터는 포함되지 않습니다.
日本語: カタログ内の全テーブルの概要一覧を取得します。どんなデータがあるか全体像を把握する際に、最初に呼び出してください。カラム情報やサンプルデータは含まれません。""",
    tags=("catalogue", "tables"),
)
TAGS = BuiltinSpec(
    name="get_tags",
    group=BuiltinGroup.CATALOGUE,
    title="List the tags of the data catalogue",
    description="""\
Lists the tags that tables of the data catalogue have, with the number of tables of each, most used first.
Use it when there are many tables, to choose the `tag` that list_table_summaries takes.
한국어: 데이터 카탈로그에서 쓰이는 태그 목록과 태그별 테이블 수를 조회합니다. 태그로 테이블을 좁힐 때 참고하세요.
日本語: カタログで使用されているタグの一覧と、タグごとのテーブル数を取得します。タグで絞り込む際の参考にしてください。""",
    tags=("catalogue", "tags"),
)
DETAILS = BuiltinSpec(
    name="get_table_details",
    group=BuiltinGroup.CATALOGUE,
    title="Get all about some tables",
    description=f"""\
Gets all that the data catalogue knows of the named tables: columns with types, keys and descriptions, sample rows, \
related tables with their join conditions, and notes.
Call it for the tables chosen from list_table_summaries, all of them in one call (at most {DETAILED_TABLES}) and no others. \
Read `notes` before querying: they name filters to use and things to avoid. For a join, get the related tables too.
한국어: 지정한 테이블의 칼럼 정의, 샘플 데이터, 관련 테이블(조인 조건), 주의 사항을 모두 조회합니다. list_table_summaries로 쓸 테이블을 정한 뒤 한 번에 호출하세요.
日本語: 指定テーブルのカタログ情報を全量取得します。カラム定義、サンプルデータ、関連テーブル、注意事項が含まれます。list_table_summaries で利用するテーブルの目星をつけた後に呼び出してください。""",
    tags=("catalogue", "tables", "columns"),
)
CONNECTION = BuiltinSpec(
    name="get_connection_info",
    group=BuiltinGroup.CATALOGUE,
    title="Get code that connects to a table's database",
    description="""\
Gets Python code, for SQLAlchemy and pandas, that connects to the database of a table and reads it, and the name of \
the environment variable that holds the address. Credentials are never in it.
Use it to write analysis code, for instance for a Jupyter notebook, after get_table_details.
한국어: 테이블이 있는 데이터베이스의 연결 정보를 조회합니다. pandas나 SQLAlchemy로 데이터를 읽는 코드를 만들 때 사용하세요.
日本語: テーブルが存在するデータベースへの接続情報を取得します。pandas や SQLAlchemy でデータを読み込むコードを生成する際に使用してください。""",
    tags=("catalogue", "code"),
)

_FILTERED = (
    ParameterSpec(
        name="tag",
        type=ParameterType.STRING,
        description="Only tables that have this tag; see get_tags.",
        presence=Presence.OPTIONAL_NULL,
        example="売上",
    ),
)
_NAMED = (
    ParameterSpec(
        name="table_names",
        type=ParameterType.STRING_LIST,
        description=f"Names as list_table_summaries gives them, 1 to {DETAILED_TABLES}.",
        example=["sales_transactions", "stores"],
    ),
)
_ONE_NAMED = (
    ParameterSpec(
        name="table_name",
        type=ParameterType.STRING,
        description="A name as list_table_summaries gives it.",
        example="sales_transactions",
    ),
)

_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
_COUNT, _FLAG = {"type": "integer"}, {"type": "boolean"}
_ROW_COUNT = {"anyOf": [_COUNT, {"type": "null"}], "description": "Estimated."}
_SHOWN = dict.fromkeys(("name", "display_name", "description"), _TEXT)
_OVERVIEW = {**_SHOWN, "tags": _TEXTS, "row_count": _ROW_COUNT}
_COLUMN = object_schema(
    {"name": _TEXT, "type": _TEXT, "description": _TEXT, "nullable": _FLAG},
    {"primary_key": _FLAG, "foreign_key": object_schema({"table": _TEXT, "column": _TEXT})},
)
_SAMPLE = object_schema({"columns": _TEXTS, "rows": {"type": "array", "items": {"type": "array"}}})
_RELATION = object_schema(
    {**_SHOWN, "relation_type": _TEXT},
    {"join_condition": _TEXT},
)
_TABLE = object_schema(
    {
        **_SHOWN,
        "datasource": _TEXT,
        "schema": _TEXT,
        "tags": _TEXTS,
        "row_count": _ROW_COUNT,
        "columns": {"type": "array", "items": _COLUMN},
        "sample_data": _SAMPLE,
        "related_tables": {"type": "array", "items": _RELATION},
        "notes": _TEXT,
    },
    {
        "columns_left_out": _COUNT,
        "columns_notice": _TEXT,
        "sample_note": _TEXT,
        "related_tables_left_out": _COUNT,
    },
)
_UNKNOWN = object_schema({"name": _TEXT, "did_you_mean": _TEXTS})
_SUMMARIES_ANSWER = object_schema(
    {"tables": {"type": "array", "items": object_schema(_OVERVIEW)}, "total": _COUNT},
    {"left_out": _COUNT, "known_tags": _TEXTS, "notice": _TEXT},
)
_TAGS_ANSWER = object_schema(
    {"tags": {"type": "array", "items": object_schema({"name": _TEXT, "count": _COUNT})}}
)
_DETAILS_ANSWER = object_schema(
    {"tables": {"type": "array", "items": _TABLE}},
    {
        "not_found": {"type": "array", "items": _UNKNOWN},
        "left_out_tables": _TEXTS,
        "notice": _TEXT,
    },
)
_CONNECTION_ANSWER = object_schema(
    {
        **dict.fromkeys(("table_name", "datasource", "type", "schema"), _TEXT),
        "connection_code": object_schema({"sqlalchemy": _TEXT, "pandas": _TEXT}),
        "environment_variable": _TEXT,
        "notes": _TEXT,
    }
)

Read = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


class CatalogueArguments:
    """As ArgumentsValidator; then the names of tables must be there, and the caller's owner is added."""

    __slots__ = ("_names", "_tool_name", "_validate")

    def __init__(self, tool_name: str, parameters: Sequence[ParameterSpec]) -> None:
        self._tool_name = tool_name
        self._validate = ArgumentsValidator(tool_name, parameters)
        self._names = [spec.name for spec in parameters if spec.presence is Presence.REQUIRED]

    def __call__(self, arguments: Arguments, facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values and `owner`, which no argument can be. Raises ArgumentsError."""
        values = self._validate(arguments)
        if faults := [fault for name in self._names for fault in _find_faults(name, values[name])]:
            raise ArgumentsError(list_faults(self._tool_name, faults))
        return {**values, "owner": facts.owner}


def catalogue_tools(catalogue: CatalogueReader) -> list[BuiltinTool]:
    """The four tools, in the order in which an agent needs them."""

    def make(
        spec: BuiltinSpec, parameters: Sequence[ParameterSpec], output: dict[str, Any], read: Read
    ) -> BuiltinTool:
        async def execute(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
            answer = await read(values)
            rows = answer.get("tables", answer.get("tags"))
            return json_answer(answer, row_count=None if rows is None else len(rows))

        return BuiltinTool(
            spec=spec,
            input_schema=input_schema(parameters),
            output_schema=output,
            check=CatalogueArguments(spec.name, parameters),
            execute=execute,
        )

    return [
        make(
            SUMMARIES,
            _FILTERED,
            _SUMMARIES_ANSWER,
            lambda values: catalogue.summaries(values["owner"], values["tag"]),
        ),
        make(TAGS, (), _TAGS_ANSWER, lambda values: catalogue.tags(values["owner"])),
        make(
            DETAILS,
            _NAMED,
            _DETAILS_ANSWER,
            lambda values: catalogue.details(values["owner"], values["table_names"]),
        ),
        make(
            CONNECTION,
            _ONE_NAMED,
            _CONNECTION_ANSWER,
            lambda values: catalogue.connection(values["owner"], values["table_name"]),
        ),
    ]


def _find_faults(argument: str, value: Any) -> list[Message]:
    """What is wrong with a name or a list of names, one line for each."""
    if not isinstance(value, list):
        return [] if value.strip() else [name_fault(argument, NOT_BLANK)]
    if not 0 < len(value) <= DETAILED_TABLES:
        fault = message(
            "arguments.some_items",
            "must have 1 to {limit} items (got {count})",
            limit=DETAILED_TABLES,
            count=str(len(value)),
        )
        return [name_fault(argument, fault)]
    blank = (index for index, name in enumerate(value) if not name.strip())
    return [name_fault(f"{argument}[{index}]", NOT_BLANK) for index in blank]
