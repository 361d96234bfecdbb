"""What a run is doing, in a line for each step."""

from collections.abc import Mapping
from typing import Any

from google.adk.events import Event

from agents.data_search.catalogue import one_line
from agents.data_search.constants import (
    COLUMN_NAMES_STATES,
    DONE_STAGES,
    FEEDBACK_KEYS,
    QUERY_RESULT,
    SQL_QUERY,
    STAGES,
    STANDARD_COLUMNS,
)
from agents.data_search.replies import read_column_names, read_standard_columns

_LINE_CHARACTERS = 200
_TITLES = ("column extraction", "column standardization", "SQL generation")


def describe_event(event: Event) -> list[str]:
    """The lines that tell of an event, none where it changed nothing of interest."""
    changes = event.actions.state_delta
    # What clears the state at the start of a run is no step of it.
    if not changes or changes.get(DONE_STAGES) == []:
        return []
    return [line for number in range(len(STAGES)) for line in _describe_stage(number, changes)]


def _describe_stage(number: int, changes: Mapping[str, Any]) -> list[str]:
    stage = STAGES[number]
    said = [_describe_result(number, changes)]
    if feedback := changes.get(FEEDBACK_KEYS[stage]):
        said.append(f"to correct: {one_line(feedback)}")
    if stage in (changes.get(DONE_STAGES) or ())[-1:]:
        said.append("done")
    mark = f"[{number + 1}/{len(STAGES)}] {_TITLES[number]}: "
    return [(mark + text)[:_LINE_CHARACTERS] for text in said if text]


def _describe_result(number: int, changes: Mapping[str, Any]) -> str:
    match number:
        case 0:
            names = read_column_names(str(changes.get(COLUMN_NAMES_STATES) or ""))
            return ", ".join(names.names()) if names else ""
        case 1:
            columns = read_standard_columns(str(changes.get(STANDARD_COLUMNS) or ""))
            return ", ".join(f"{column.table}.{column.column}" for column in columns)
        case _:
            result = changes.get(QUERY_RESULT)
            return f"{result['row_count']:,} rows" if result else one_line(changes.get(SQL_QUERY))
