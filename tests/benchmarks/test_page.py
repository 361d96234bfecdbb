"""The page of figures and the words of the command line."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from benchmarks.calls import PAGE, read_words
from benchmarks.layers import LAYERS, OTHER, count_layers
from benchmarks.report import BEGIN, END, markdown_table, write_page

ROOT = Path(__file__).parents[2]
OURS = ("access/", "core/", "gateways/", "mcp_runtime/", "tools/")


def test_only_the_part_between_the_markers_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")

    write_page(page, "new\n")
    write_page(page, "newer\n")

    assert page.read_text() == f"before\n{BEGIN}\n\nnewer\n\n{END}\nafter\n"


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\nno end\n")

    with pytest.raises(ValueError, match="lacks the markers"):
        write_page(page, "new\n")

    assert page.read_text() == f"{BEGIN}\nno end\n"


def test_the_page_has_its_markers() -> None:
    text = PAGE.read_text()

    assert text.count(BEGIN) == text.count(END) == 1


def test_a_table_is_markdown() -> None:
    assert markdown_table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_samples_of_work_count_for_their_innermost_known_frame() -> None:
    root = "handle (manage.py:70);run (uvicorn/server.py:80)"
    counts = count_layers(
        [
            f"{root} 5",
            f"{root};call (mcp_runtime/caller.py:9);dumps (json/encoder.py:1) 3",
            "run (threading.py:1);write (access/call_log.py:7);execute (psycopg/cursor.py:3) 2",
            "run (threading.py:1);_worker (concurrent/futures/thread.py:81) 9",
            "run (threading.py:1) 1",
        ]
    )

    assert counts == {"event loop": 5, "JSON": 3, "record": 2, OTHER: 1}


def test_layers_name_code_that_is_there() -> None:
    named = [path for beginnings in LAYERS.values() for path in beginnings]

    assert [path for path in named if path.startswith(OURS) and not (ROOT / path).exists()] == []


def test_words_of_the_command_line_are_known() -> None:
    assert read_words("row,ours") == {"row", "ours"}
    with pytest.raises(ArgumentTypeError, match="there is no rows"):
        read_words("rows,ours")
