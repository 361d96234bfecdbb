"""What people chose of a chart."""

from typing import Any

import pytest

from core.charts import read_chart
from core.errors import DefinitionError


def test_chart_names_every_field() -> None:
    chart = read_chart({"across": "city", "height": "revenue"})

    assert chart == {
        "kind": "bar",
        "across": "city",
        "height": "revenue",
        "colour": "",
        "largest_first": False,
    }
    assert read_chart(None) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param([], "must be a JSON object", id="no object"),
        pytest.param({"kind": "pie", "across": "a", "height": "b"}, "kind must be one", id="kind"),
        pytest.param({"across": "a"}, "height must be a column's name", id="no height"),
        pytest.param({"across": 1, "height": "b"}, "across must be a column's", id="no text"),
        pytest.param({"across": "a", "height": "b", "x": 1}, "chart has no x", id="unknown"),
        pytest.param(
            {"across": "a", "height": "b", "largest_first": "yes"}, "true or false", id="order"
        ),
    ],
)
def test_chart_that_makes_no_sense_is_refused(value: Any, text: str) -> None:
    with pytest.raises(DefinitionError, match=text):
        read_chart(value)


def test_picture_for_agents_is_named_only_where_it_is_chosen() -> None:
    given = {"across": "city", "height": "revenue"}

    assert "for_agents" not in (read_chart({**given, "for_agents": False}) or {})
    assert (read_chart({**given, "for_agents": True}) or {})["for_agents"] is True
