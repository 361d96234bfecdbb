"""`complete_column_extraction` and `sanitize_for_csv`: small steps of an agent's work."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.argument_texts import (
    MAX_LINES,
    REQUIRED,
    expect_list,
    expect_object,
    expect_text,
    list_faults,
    name_fault,
)
from core.arguments import ArgumentsValidator, input_schema
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from core.execution import QuerySources
from core.grants import BuiltinGroup
from core.messages import Message, message
from core.parameter_types.structures import limit_items
from core.results import Answer
from core.shown_values import printable
from core.toolspec import ParameterSpec, ParameterType
from tools.builtin.tool import (
    Arguments,
    BuiltinSpec,
    BuiltinTool,
    json_answer,
    object_schema,
)

_NO_BREAK_SPACE = "\u00a0"

COMPLETION = BuiltinSpec(
    name="complete_column_extraction",
    group=BuiltinGroup.UTILITIES,
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
    group=BuiltinGroup.UTILITIES,
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


_ARGUMENT, _NAME = "extracted_columns", "extracted_column_name"
_EXAMPLE = '{"items": [{"extracted_column_name": "user_id"}]}'
MAX_ITEMS = 1_000

_EXTRACTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        _ARGUMENT: {
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            _NAME: {
                                "type": "string",
                                "description": "A column name as extracted from the question.",
                            }
                        },
                        "required": [_NAME],
                    },
                    "description": "All extracted column names; empty when there are none.",
                }
            },
            "required": ["items"],
            "description": "The extracted column names.",
            "examples": [{"items": [{_NAME: "user_id"}, {_NAME: "email"}]}],
        }
    },
    "required": [_ARGUMENT],
    "additionalProperties": False,
}


def completion_tool() -> BuiltinTool:
    """The tool that ends an agent's extraction of column names."""

    async def complete(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        if not values["column_names"]:
            text = "Column name extraction required."
            return json_answer({"status": "error", "message": text, "escalate": False})
        text = "Column name extraction completed."
        return json_answer({"status": "success", "message": text, "escalate": True})

    output = object_schema(
        {
            "status": {"type": "string", "enum": ["success", "error"]},
            "message": {"type": "string"},
            "escalate": {"type": "boolean", "description": "Whether to go on to the next step."},
        }
    )
    return BuiltinTool(
        spec=COMPLETION,
        input_schema=_EXTRACTED,
        output_schema=output,
        check=read_column_names,
        execute=complete,
    )


def sanitizer_tool() -> BuiltinTool:
    """The tool that takes no-break spaces out of a text."""

    async def sanitize(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        return json_answer({"sanitized_text": values["text"].replace(_NO_BREAK_SPACE, " ")})

    return BuiltinTool(
        spec=SANITIZER,
        input_schema=input_schema(_TEXT),
        output_schema=object_schema({"sanitized_text": {"type": "string"}}),
        check=ArgumentsValidator(SANITIZER.name, _TEXT),
        execute=sanitize,
    )


def read_column_names(arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
    """`column_names`: the names given, blank ones left out. Raises ArgumentsError, one line per fault.

    No `items` is read as none; other keys beside the names are an agent's notes and are ignored.
    """
    faults = [
        message(
            "arguments.unknown",
            "{name}: unknown; this tool takes {known}",
            name=printable(str(name)),
            known=_ARGUMENT,
        )
        for name in arguments
        if name != _ARGUMENT
    ]
    given, names = arguments.get(_ARGUMENT), []
    if _ARGUMENT not in arguments:
        faults.insert(0, name_fault(_ARGUMENT, REQUIRED))
    elif isinstance(given, Mapping):
        names = _read_items(given.get("items"), faults)
    else:
        faults.insert(0, name_fault(_ARGUMENT, expect_object(_EXAMPLE, given)))
    if faults:
        left_out = max(0, len(faults) - MAX_LINES)
        raise ArgumentsError(list_faults(COMPLETION.name, faults[:MAX_LINES], left_out))
    return {"column_names": names}


def _read_items(items: object, faults: list[Message]) -> list[str]:
    """The names; what is wrong with an item is added to `faults`."""
    path, names = f"{_ARGUMENT}.items", []
    if items is None:
        return []
    if isinstance(items, str) or not isinstance(items, Sequence):
        faults.append(name_fault(path, expect_list(items)))
        return []
    if len(items) > MAX_ITEMS:
        faults.append(name_fault(path, limit_items(MAX_ITEMS, str(len(items)))))
        return []
    for index, item in enumerate(items):
        if not isinstance(item, Mapping):
            fault = expect_object(f'{{"{_NAME}": "user_id"}}', item)
            faults.append(name_fault(f"{path}[{index}]", fault))
        elif _NAME not in item:
            faults.append(name_fault(f"{path}[{index}].{_NAME}", REQUIRED))
        elif not isinstance(item[_NAME], str):
            faults.append(name_fault(f"{path}[{index}].{_NAME}", expect_text(item[_NAME])))
        elif item[_NAME].strip():
            names.append(item[_NAME])
    return names
