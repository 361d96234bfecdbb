"""`complete_column_extraction` and `sanitize_for_csv`: small steps of an agent's work."""

from collections.abc import Mapping
from typing import Any

from core.arguments import ArgumentsValidator, input_schema
from core.execution import QuerySources
from core.results import Answer
from core.toolspec import ParameterSpec, ParameterType
from tools.builtin.extracted_columns import INPUT_SCHEMA, read_column_names
from tools.builtin.tool import (
    BuiltinSpec,
    BuiltinTool,
    json_answer,
    object_schema,
)

_NO_BREAK_SPACE = "\u00a0"

COMPLETION = BuiltinSpec(
    name="complete_column_extraction",
    title="Complete the extraction of column names",
    description="""\
Says that the column names in the user's question have been extracted, so that the work can go on to the \
next step (standardising the names, then writing SQL).
Call it once with all extracted names. `escalate` is true when at least one name is given: leave the \
extraction loop. Without any, status is "error": extract the names first and call again.
한국어: 사용자 질의에서 칼럼명 추출이 끝났음을 알리고 다음 단계(SQL 생성)로 넘어갑니다. 추출된 칼럼명이 없으면 오류를 돌려줍니다.
日本語: ユーザーの質問からカラム名(列名)の抽出が終わったことを伝え、次の段階(SQL の作成)へ進みます。カラム名がなければエラーを返します。""",
    tags=("workflow",),
)
SANITIZER = BuiltinSpec(
    name="sanitize_for_csv",
    title="Clean text for CSV",
    description="""\
Replaces every no-break space (NBSP, U+00A0) in the text with an ordinary space and changes nothing else.
Use it on text or SQL that a model wrote before saving it to CSV or Excel, where an NBSP shows as a broken character.
한국어: CSV나 엑셀에 저장하기 전에 텍스트의 NBSP(줄 바꿈 없는 공백, U+00A0)를 일반 공백으로 바꿔 글자 깨짐을 막습니다.
日本語: CSV や Excel に保存する前に、テキスト中の NBSP(ノーブレークスペース、U+00A0)を通常の空白に置き換え、文字化けを防ぎます。""",
    tags=("text",),
)
_TEXT = (
    ParameterSpec(
        name="text",
        type=ParameterType.STRING,
        description="The text to clean.",
        example="SELECT\u00a0user_id,\u00a0email FROM users",
    ),
)


def completion_tool() -> BuiltinTool:
    """The tool that ends an agent's extraction of column names."""
    output = object_schema(
        {
            "status": {"type": "string", "enum": ["success", "error"]},
            "message": {"type": "string"},
            "escalate": {"type": "boolean", "description": "Whether to go on to the next step."},
        }
    )
    return BuiltinTool(
        spec=COMPLETION,
        input_schema=INPUT_SCHEMA,
        output_schema=output,
        check=read_column_names,
        execute=_complete,
    )


def sanitizer_tool() -> BuiltinTool:
    """The tool that takes no-break spaces out of a text."""
    output = object_schema({"sanitized_text": {"type": "string"}})
    return BuiltinTool(
        spec=SANITIZER,
        input_schema=input_schema(_TEXT),
        output_schema=output,
        check=ArgumentsValidator(SANITIZER.name, _TEXT),
        execute=_sanitize,
    )


async def _complete(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
    if not values["column_names"]:
        message = "Column name extraction required."
        return json_answer({"status": "error", "message": message, "escalate": False})
    message = "Column name extraction completed."
    return json_answer({"status": "success", "message": message, "escalate": True})


async def _sanitize(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
    return json_answer({"sanitized_text": values["text"].replace(_NO_BREAK_SPACE, " ")})
