"""What a person sees while the stages run."""

import pytest
from google.adk.events import Event, EventActions

from agents.data_search.chat import describe_event


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, []),
        ({"done_stages": [], "sql_query": ""}, []),
        ({"column_names": '{"requested_columns": ["a"]}'}, ["[1/3] column extraction: a"]),
        ({"done_stages": ["column_extraction"]}, ["[1/3] column extraction: done"]),
        ({"sql_feedback": "no such\ncolumn"}, ["[3/3] SQL generation: to correct: no such column"]),
        ({"query_result": {"row_count": 1234}}, ["[3/3] SQL generation: 1,234 rows"]),
    ],
    ids=["nothing", "start", "names", "done", "feedback", "rows"],
)
def test_each_step_has_a_line(changes: dict[str, object], lines: list[str]) -> None:
    event = Event(author="x", actions=EventActions(state_delta=changes))

    assert describe_event(event) == lines
