"""A file of tools gives back what was written to it, and hostile ones are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import ImportFileError
from toolbuilder.exchange.files import ExchangedTool, read_tools_file, write_json, write_yaml
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

    assert read_tools_file(written) == [ExchangedTool(tool, is_active=False)]


def test_file_is_short_and_readable() -> None:
    tool = ToolDocument(name="tool", definition="SELECT 1\nFROM t")

    assert write_yaml([ExchangedTool(tool)]) == (
        "toolbuilder: 1\ntools:\n- name: tool\n  tool_type: SQL\n"
        "  definition: |-\n    SELECT 1\n    FROM t\n"
    )


def test_date_without_quotes_is_text() -> None:
    text = "toolbuilder: 1\ntools: [{name: t, parameters: [{param_name: a, minimum: 2024-01-01}]}]"

    [tool] = read_tools_file(text)

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
        pytest.param("a: !!python/object/apply:os.system [ls]", "neither YAML", id="code"),
        pytest.param('{"toolbuilder": 1, "tools": [{"tags": [NaN]}]}', "JSON does not", id="NaN"),
    ],
)
def test_file_that_cannot_be_read_is_refused(text: str, message: Any) -> None:
    with pytest.raises(ImportFileError, match=message):
        read_tools_file(text)
