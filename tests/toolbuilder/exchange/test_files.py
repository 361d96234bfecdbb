"""A file of tools gives back what was written to it, and hostile ones are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import ImportFileError
from toolbuilder.exchange.exchanged import (
    ExchangedConcept,
    ExchangedSource,
    ExchangedTool,
    ExchangedToolset,
)
from toolbuilder.exchange.files import (
    dump,
    glossary_document,
    source_document,
    tool_document,
    toolset_document,
    write_json,
    write_yaml,
)
from toolbuilder.exchange.formats import read_files, read_tools_file
from tools.definitions import ParameterDocument, ToolDocument

TEXTS = [
    "SELECT 1\nFROM t\n",
    "ends in blanks  \n  and begins with them",
    "\n\nempty lines\n\n",
    "carriage\r\nreturn",
    "tab\tand: colon # hash",
    "no",
    "2024-01-01",
    "1e3",
    "null",
    "'quote\"",
    "한국어 日本語 🙂",
    "\u2028\u0085\ufeff",
    "- list",
    "",
]


@pytest.mark.parametrize("write", [write_yaml, write_json], ids=["YAML", "JSON"])
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_text_comes_back_as_it_was(text: str, write: Callable[[list[ExchangedTool]], str]) -> None:
    parameter = ParameterDocument(
        param_name=text, description=text, default={"x": [text, 1.5, None]}, minimum="2024-01-01"
    )
    tool = ToolDocument(name="tool", definition=text, tags=[text], parameters=(parameter,))

    written = write([ExchangedTool(tool, is_active=False)])

    assert read_tools_file(written).tools == [ExchangedTool(tool, is_active=False)]


@pytest.mark.parametrize("write", [write_yaml, write_json], ids=["YAML", "JSON"])
def test_chart_comes_back_and_is_no_word_where_there_is_none(
    write: Callable[[list[ExchangedTool]], str],
) -> None:
    plain = ToolDocument(name="tool", definition="SELECT 1")
    chart = {"kind": "line", "across": "day", "height": "n", "colour": "", "largest_first": False}
    drawn = ExchangedTool(plain.replace(chart=chart))

    assert read_tools_file(write([drawn])).tools == [drawn]
    assert "chart" not in write([ExchangedTool(plain)])
    assert drawn.snapshot.content_hash != plain.content_hash


def test_file_is_short_and_readable() -> None:
    tool = ToolDocument(name="tool", definition="SELECT 1\nFROM t")

    assert write_yaml([ExchangedTool(tool)]) == (
        "toolbuilder: 1\ntools:\n- name: tool\n  tool_type: SQL\n"
        "  definition: |-\n    SELECT 1\n    FROM t\n"
    )


def test_date_without_quotes_is_text() -> None:
    text = "toolbuilder: 1\ntools: [{name: t, parameters: [{param_name: a, minimum: 2024-01-01}]}]"

    [tool] = read_tools_file(text).tools

    assert tool.snapshot.parameters[0].minimum == "2024-01-01"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: [", "neither YAML nor JSON", id="broken YAML"),
        pytest.param("{", "neither YAML nor JSON", id="broken JSON"),
        pytest.param("", "no list called tools", id="empty"),
        pytest.param("tools: []", "must begin with toolbuilder: 1", id="no format"),
        pytest.param("toolbuilder: 2\ntools: []", "toolbuilder: 1", id="later format"),
        pytest.param("toolbuilder: 1\ntools: [1]", "1: a tool is names", id="no tool"),
        pytest.param(
            "toolbuilder: 1\ntools: [{name: t, sql: x}]", "t: the tool has no sql", id="field"
        ),
        pytest.param(
            "toolbuilder: 1\ntools: [{name: t}, {name: t}]", "t is there twice", id="twice"
        ),
        pytest.param("a: &a [1]\nb: *a", "Aliases", id="alias"),
        pytest.param("[" * 100_000, "Aliases and deep nesting", id="deep YAML"),
        pytest.param('{"a":' + "[" * 100_000, "neither YAML nor JSON", id="deep JSON"),
        pytest.param("a: !!python/object/apply:os.system [ls]", "Tags of YAML", id="code"),
        pytest.param('{"toolbuilder": 1, "tools": [{"tags": [NaN]}]}', "JSON does not", id="NaN"),
    ],
)
def test_file_that_cannot_be_read_is_refused(text: str, message: Any) -> None:
    with pytest.raises(ImportFileError, match=message):
        read_tools_file(text)


BROKEN = """\
toolbuilder: 1
kind: tool
name: sales
titel: Sales
row_limit: many
tags: [a]
tags: [b]
definition: |
  SELECT 1
parameters:
- param_name: day
  is_required: maybe
- param_name: region
  pattern: 5
"""


def test_every_fault_of_a_file_has_its_line() -> None:
    content = read_files({"tools/sales.yaml": BROKEN, "b.yaml": "a: [", "c.yaml": "kind: tool"})

    told = [str(fault) for fault in content.faults]
    assert [line.split(" ")[0] for line in told] == [
        "b.yaml:2:1:",
        "c.yaml:1:1:",
        *(f"tools/sales.yaml:{place}:" for place in ("4:1", "5:1", "7:1", "12:3", "14:3")),
    ]
    assert told[2].startswith("tools/sales.yaml:4:1: sales: the tool has no titel; there are ")
    assert told[4] == "tools/sales.yaml:7:1: tags is there twice."
    assert told[5].endswith("sales: day: is_required must be true or false")


def test_documents_of_each_kind_come_back() -> None:
    tool = ExchangedTool(ToolDocument(name="sales", definition="SELECT 1"), is_active=False)
    toolset = ExchangedToolset(name="kr", tags=("kr",), tools=("sales",), owned_by_files=True)
    concept = ExchangedConcept(name="shop", terms={"ko": ("매장",), "ja": (), "en": ("shop",)})
    source = source_document(
        ExchangedSource(
            name="shop", columns={"host": "h", "database": "d", "username": "u", "port": 5433}
        )
    )
    documents = [
        tool_document(tool),
        toolset_document(toolset),
        glossary_document([concept]),
        source,
    ]

    content = read_files({"all.yaml": "---\n".join(map(dump, documents))})

    assert content.faults == []
    assert (content.tools, content.toolsets, content.concepts) == ([tool], [toolset], [concept])
    assert source_document(content.sources[0]) == {"engine": "postgresql", **source}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("kind: tols", "2:1: kind must be one of tool, toolset", id="kind"),
        pytest.param("kind: toolset\nname: 1", "3:1: name must be text", id="text"),
        pytest.param("kind: toolset\nname: a\ntag: b", "4:1: there is no tag here", id="unknown"),
        pytest.param("kind: source\nname: a\npassword: b", "4:1: there is no pass", id="secret"),
        pytest.param(
            "kind: source\nname: a\nport: x\nhost: h\ndatabase: d\nusername: u",
            "4:1: port: ",
            id="column",
        ),
        pytest.param(
            "kind: glossary\nconcepts:\n  shop:\n    ko: 매장", "5:5: ko must be a list", id="terms"
        ),
    ],
)
def test_fault_of_a_document_has_its_line(text: str, fault: str) -> None:
    content = read_files({"": f"toolbuilder: 1\n{text}\n"})

    assert [str(found)[: len(fault)] for found in content.faults[:1]] == [fault]
