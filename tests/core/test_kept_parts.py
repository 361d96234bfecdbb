"""Which part of an answer is kept."""

import pytest

from core.errors import DataSourceError, DefinitionError, EvaluationError
from core.http_calls import CallLimits, shape_answer
from core.kept_parts import Keep, read_path
from core.toolspec import JsonValue

RESPONSE = {
    "city": {"name": "서울"},
    "daily": [{"max": 11.4, "a b": 1}, {"max": 8}],
    "none": None,
    "empty": "",
    "found": {"item": {"name": "a"}},
}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        pytest.param("city.name", "서울", id="names"),
        pytest.param("daily[].max", [11.4, 8], id="each"),
        pytest.param("daily[1]", {"max": 8}, id="one item"),
        pytest.param('daily[0]["a b"]', 1, id="quoted"),
        pytest.param("found.item[].name", ["a"], id="the only one"),
        pytest.param("found.item[]", [{"name": "a"}], id="a list of the only one"),
        pytest.param("found.item[0].name", "a", id="the first is the only one"),
        pytest.param("none.item[].name", [], id="nothing for each"),
        pytest.param("empty.item[].name", [], id="an empty text for each"),
    ],
)
def test_path_leads_to_a_part(path: str, kept: JsonValue) -> None:
    assert Keep(path=path).apply(RESPONSE) == kept


def test_expression_makes_rows_of_the_answer() -> None:
    keep = Keep(expression='[{"high": d["max"]} for d in response["daily"]]')

    assert keep.apply(RESPONSE) == [{"high": 11.4}, {"high": 8}]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("city.nam", "no nam there; it has name", id="name"),
        pytest.param("daily[2]", "nothing at \\[2\\]", id="item"),
        pytest.param("found.item[1]", "no \\[1\\] there; it has name", id="a second one"),
        pytest.param("city.name.x", "nothing at x", id="no object"),
        pytest.param("empty.item", "nothing at item", id="nothing for one"),
    ],
)
def test_path_to_nothing_says_what_is_there(path: str, text: str) -> None:
    with pytest.raises(EvaluationError, match=text):
        Keep(path=path).apply(RESPONSE)


@pytest.mark.parametrize(
    ("response", "said"),
    [
        pytest.param("<err>KEY IS NOT REGISTERED</err>", "said: <err>KEY IS NOT REG", id="text"),
        pytest.param({"resultMsg": "한도 초과"}, 'said: {"resultMsg": "한도 초과"}', id="JSON"),
    ],
)
def test_missing_part_is_said_with_the_answer(response: JsonValue, said: str) -> None:
    with pytest.raises(DataSourceError, match="the part to keep is not in the answer") as caught:
        shape_answer(
            Keep(path="body.items[]"),
            response,
            CallLimits(row_limit=9, byte_limit=999, timeout_ms=999),
        )

    assert said in str(caught.value)


@pytest.mark.parametrize("path", [".a", "a..b", "a[x]", "a b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(DefinitionError, match="is no path"):
        read_path(path)
