"""Answers of any server and era are read alike."""

import json

import pytest

from benchmarks.cases import read_rows
from benchmarks.clients import Answer

RESULT = {"content": [{"type": "text", "text": '{"id": 7}'}], "structuredContent": {"rows": [[7]]}}


def answer(result: object) -> Answer:
    return Answer(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode(), 0.001)


def test_an_answer_is_read_from_json_and_from_an_event() -> None:
    plain = answer(RESULT)
    event = Answer(200, b"event: message\r\ndata: " + plain.body + b"\r\n\r\n", 0.001)

    assert event.content() == plain.content() == {"rows": [[7]]}


def test_text_is_read_where_there_is_no_structured_content() -> None:
    assert answer({"content": RESULT["content"]}).content() == [{"id": 7}]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(answer({**RESULT, "isError": True}), id="error of a tool"),
        pytest.param(
            Answer(200, b'{"error": {"code": -32603}}', 0.001), id="error of the protocol"
        ),
        pytest.param(Answer(503, b"Service Unavailable", 0.001), id="no JSON"),
    ],
)
def test_anything_but_a_good_answer_is_refused(given: Answer) -> None:
    with pytest.raises(RuntimeError, match=f"HTTP {given.status}"):
        given.content()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"columns": ["id", "day"], "rows": [[7, "2024-02-18"]]}, id="ours"),
        pytest.param([{"id": 7, "day": "2024-02-18T00:00:00Z"}], id="objects"),
        pytest.param({"result": [{"id": "7.00", "day": "2024-02-18"}]}, id="objects under a name"),
    ],
)
def test_rows_of_all_servers_compare(content: object) -> None:
    assert read_rows(content) == [[7.0, "2024-02-18"]]


@pytest.mark.parametrize("content", [{"result": 15}, [{"result": 15}], {"result": 15.0}])
def test_a_value_is_one_row(content: object) -> None:
    assert read_rows(content) == [[15.0]]
