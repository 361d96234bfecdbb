"""`search_tools` and `call_tool`: how agents reach tools that they were not shown."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from core.argument_texts import (
    MAX_LINES,
    NOT_BLANK,
    REQUIRED,
    expect_object,
    expect_text,
    list_faults,
    name_fault,
)
from core.arguments import input_schema
from core.bindings import NOBODY, CallerFacts
from core.errors import ArgumentsError
from core.execution import QuerySources
from core.grants import BuiltinGroup
from core.messages import message
from core.results import Answer
from core.shown_values import printable
from core.toolspec import ParameterSpec, ParameterType, Presence
from tools.builtin.tool import (
    Arguments,
    BuiltinSpec,
    BuiltinTool,
    EmbeddableTexts,
    json_answer,
    object_schema,
)

MAX_RESULTS = 50
DEFAULT_RESULTS = 5

SEARCH = BuiltinSpec(
    name="search_tools",
    group=BuiltinGroup.SEARCH,
    title="Search tools",
    description="""\
Finds tools of this server that fit a task, best first, with all that is needed to call them: name, description, \
parameters as JSON schema, annotations.
Use it when no tool in your list fits: many tools are not listed. Say in a few words, in any language, what has to be \
done and with what, as in "refund an order". Then call what was found, with call_tool or by its name.
한국어: 하려는 작업을 짧게 적으면 알맞은 도구를 찾아 이름, 설명, 파라미터를 알려 줍니다. 목록에 맞는 도구가 없을 때 먼저 검색하고, 찾은 도구는 call_tool로 호출하세요.
日本語: やりたい作業を短く書くと、使えるツールを検索して名前、説明、パラメータを返します。一覧に合うツールがないときに使い、見つけたツールは call_tool で呼び出してください。""",
    tags=("tools", "search"),
)
CALL = BuiltinSpec(
    name="call_tool",
    group=BuiltinGroup.SEARCH,
    title="Call a tool that was found",
    description="""\
Calls a tool of this server by its name and gives that tool's own result.
Use it for tools that search_tools has found and that are not in your list. `arguments` has to fit the `parameters` \
that search_tools gave; wrong ones are answered with what would be right.
한국어: search_tools로 찾은 도구를 이름으로 호출하고 그 도구의 결과를 그대로 돌려줍니다. arguments는 search_tools가 알려 준 parameters에 맞춰 주세요.
日本語: search_tools で見つけたツールを名前で呼び出し、その結果をそのまま返します。arguments は search_tools が返した parameters に合わせてください。""",
    tags=("tools",),
)
# Of the ranker's signals, those of the published contract.
SIGNALS = ("bm25", "graph", "embedding", "annotation")
# What finds tools and what calls them are neither found nor called through each other.
UNFOUND = frozenset({SEARCH.name, CALL.name})

_SEARCHED = (
    ParameterSpec(
        name="query",
        type=ParameterType.STRING,
        description="What the tool has to do, in a few words of any language.",
        example="지난달 매장별 매출 조회",
    ),
    ParameterSpec(
        name="limit",
        type=ParameterType.INTEGER,
        description="How many tools to return at most.",
        presence=Presence.OPTIONAL_DEFAULT,
        default=DEFAULT_RESULTS,
        minimum=1,
        maximum=MAX_RESULTS,
    ),
)
_CALLED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "description": "The tool's name as search_tools gives it.",
            "examples": ["sales_by_region"],
        },
        "arguments": {
            "type": "object",
            "description": "The tool's arguments by name; {} where it takes none.",
            "additionalProperties": True,
            "examples": [{"region": "KR"}],
        },
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}
# Whatever the called tool gives.
_ANY_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": True}
_TEXT, _NUMBER, _OBJECT = {"type": "string"}, {"type": "number"}, {"type": "object"}
_FOUND = object_schema(
    {
        "name": _TEXT,
        "title": _TEXT,
        "description": _TEXT,
        "parameters": {**_OBJECT, "description": "JSON schema of the arguments."},
        "annotations": _OBJECT,
        "score": _NUMBER,
        "signals": object_schema(dict.fromkeys(SIGNALS, _NUMBER)),
    }
)
_DEGRADED = {"type": "boolean", "description": "Found by words alone, not by meaning."}

# The answer to a query with at most so many tools, of those that the caller of these facts may see.
FindTools = Callable[[str, int, CallerFacts], Awaitable[dict[str, Any]]]


class SearchArguments:
    """As EmbeddableTexts; and the caller's facts are added, which no argument can be."""

    __slots__ = ("_validate",)

    def __init__(self) -> None:
        self._validate = EmbeddableTexts(SEARCH.name, _SEARCHED)

    def __call__(self, arguments: Arguments, facts: CallerFacts = NOBODY) -> Mapping[str, object]:
        """The typed values and `facts`. Raises ArgumentsError."""
        return {**self._validate(arguments), "facts": facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardingTool(BuiltinTool):
    """A tool whose call is that of another one: ToolCaller reads the target and goes on with it."""

    def read_target(self, arguments: Arguments) -> tuple[str, Mapping[str, object]]:
        """The name and the arguments of the call that is meant. Raises ArgumentsError."""
        values: Mapping[str, Any] = self.check(arguments, NOBODY)
        return values["name"], values["arguments"]


def search_tools(find: FindTools) -> list[BuiltinTool]:
    """The two tools, the one that finds before the one that calls."""

    async def execute(values: Mapping[str, Any], _sources: QuerySources) -> Answer:
        found = await find(values["query"], values["limit"], values["facts"])
        return json_answer(found, row_count=len(found["tools"]))

    async def refuse(_values: Mapping[str, Any], _sources: QuerySources) -> NoReturn:
        raise ArgumentsError(
            message(
                "arguments.stands_for",
                "{name} only stands for the tool that it names; call that one",
                name=CALL.name,
            )
        )

    searching = BuiltinTool(
        spec=SEARCH,
        input_schema=input_schema(_SEARCHED),
        output_schema=object_schema(
            {"tools": {"type": "array", "items": _FOUND}, "degraded": _DEGRADED}
        ),
        check=SearchArguments(),
        execute=execute,
    )
    calling = ForwardingTool(
        spec=CALL,
        input_schema=_CALLED,
        output_schema=_ANY_OBJECT,
        check=read_called,
        execute=refuse,
    )
    return [searching, calling]


def read_called(arguments: Arguments, _facts: CallerFacts = NOBODY) -> Mapping[str, object]:
    """`name` and `arguments`, which may be left out. Raises ArgumentsError, one line per fault."""
    faults = [
        message(
            "arguments.unknown_for_call",
            "{name}: unknown; {tool} takes name and arguments, and the tool's own"
            " arguments belong into the latter",
            name=printable(str(key)),
            tool=CALL.name,
        )
        for key in arguments
        if key not in _CALLED["properties"]
    ]
    name, given = arguments.get("name"), arguments.get("arguments")
    if given is not None and not isinstance(given, Mapping):
        faults.insert(0, name_fault("arguments", expect_object('{"region": "KR"}', given)))
    if name is None:
        faults.insert(0, name_fault("name", REQUIRED))
    elif not isinstance(name, str):
        faults.insert(0, name_fault("name", expect_text(name)))
    elif name in UNFOUND:
        called_by_itself = message(
            "arguments.called_by_itself",
            "{name} is called by itself, not through {tool}",
            name=name,
            tool=CALL.name,
        )
        faults.insert(0, name_fault("name", called_by_itself))
    elif not name.strip():
        faults.insert(0, name_fault("name", NOT_BLANK))
    if faults:
        raise ArgumentsError(list_faults(CALL.name, faults[:MAX_LINES]))
    return {"name": name, "arguments": given or {}}
