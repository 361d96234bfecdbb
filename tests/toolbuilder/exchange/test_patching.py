"""What people wrote into a file stays where nothing changed."""

from typing import Any

import pytest

from tests.toolbuilder.exchange.test_files import TEXTS
from toolbuilder.exchange.patching import write_document, write_over
from toolbuilder.exchange.yaml_nodes import FileFault, read_documents

FILE = """\
# Asked for by finance.
toolbuilder: 1
kind: tool
name: sales   # never rename
# Closed days only.
definition: |-
  SELECT a
  FROM t
row_limit: 5 # few

parameters:
# the day first
- param_name: day
  param_type: DATE  # no time
  # why
  description: The day
- param_name: region
tags: [kr,
       us]
# the end
"""
SAID: dict[str, Any] = {
    "toolbuilder": 1,
    "kind": "tool",
    "name": "sales",
    "definition": "SELECT a\nFROM t",
    "row_limit": 5,
    "parameters": [
        {"param_name": "day", "param_type": "DATE", "description": "The day"},
        {"param_name": "region"},
    ],
    "tags": ["kr", "us"],
}


def read(text: str) -> object:
    faults: list[FileFault] = []
    [node] = read_documents(text, "", faults)
    assert faults == []
    return node.plain()


def test_file_that_says_the_same_is_left_as_it_is() -> None:
    assert write_over(FILE, SAID) == FILE


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        pytest.param({"row_limit": 6}, "row_limit: 5 # few", "row_limit: 6 # few", id="scalar"),
        pytest.param(
            {"definition": "SELECT b\n\tFROM t  \nLIMIT 1"},
            "  SELECT a\n  FROM t\n",
            "  SELECT b\n  \tFROM t  \n  LIMIT 1\n",
            id="text with tabs and blanks",
        ),
        pytest.param({"tags": ["kr"]}, "tags: [kr,\n       us]\n", "tags:\n- kr\n", id="list"),
        pytest.param(
            {
                "parameters": [
                    {**SAID["parameters"][0], "description": "A day"},
                    {"param_name": "x"},
                ]
            },
            "The day\n- param_name: region\n",
            "A day\n- param_name: x\n",
            id="parameters",
        ),
        pytest.param(
            {"kind": "tool", "row_limit": 5, "byte_limit": 9},
            "row_limit: 5 # few\n\nparameters",
            "row_limit: 5 # few\n\nbyte_limit: 9\nparameters",
            id="new key",
        ),
    ],
)
def test_only_what_changed_is_written(changes: dict[str, Any], old: str, new: str) -> None:
    order = ("toolbuilder", "kind", "name", "definition", "row_limit", "byte_limit")
    said = SAID | changes
    said = {name: said[name] for name in (*order, "parameters", "tags") if name in said}

    written = write_over(FILE, said)

    assert written == FILE.replace(old, new)
    assert read(written) == said


@pytest.mark.parametrize(
    "file",
    [
        pytest.param("{toolbuilder: 1, name: sales}", id="flow style"),
        pytest.param("a: [", id="broken"),
        pytest.param("--- 1\n--- 2\n", id="several documents"),
    ],
)
def test_file_in_which_nothing_can_be_told_apart_is_written_anew(file: str) -> None:
    assert write_over(file, SAID) == write_document(SAID)


@pytest.mark.parametrize("text", [*TEXTS, "  a\nb", "a\n\n  \nb\n", "a\n\n\n", "\ta\nb"], ids=ascii)
def test_text_comes_back_from_a_document(text: str) -> None:
    document = {"definition": text, "parameters": [{"param_name": "a", "description": text}]}

    assert read(write_document(document)) == document
    assert read(write_over("# note\ndefinition: a # b\n", document)) == document
