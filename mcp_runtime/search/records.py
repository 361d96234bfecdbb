"""Searches are kept, and which of the tools found was called then."""

import logging
from collections.abc import Sequence

import orjson
from django.db import Error as DatabaseError
from django.db import connection, transaction

from access.calls import Call, CallWriter
from access.database_thread import execute_bound
from tools.models import ToolSearch

logger = logging.getLogger(__name__)

# The first call of a tool that the search found, by the same key, within ten minutes. It speaks for
# the tool, once a day for each concept of the question.
_NOTE = """
WITH noted AS (
UPDATE h_tool_search SET called_tool = first.tool_name
FROM (
    SELECT DISTINCT ON (search.id) search.id, call.tool_name
    FROM h_tool_search search JOIN {calls}
        ON call.key_id = search.key_id
        AND call.at BETWEEN search.at AND search.at + interval '10 minutes'
        AND search.names ? call.tool_name
    WHERE search.called_tool IS NULL {searches}
    ORDER BY search.id, call.at
) first
WHERE h_tool_search.id = first.id
RETURNING h_tool_search.at, h_tool_search.key_id, called_tool, concepts
)
INSERT INTO h_search_use (day, key_id, tool_name, concept)
SELECT DISTINCT (at AT TIME ZONE 'UTC')::date, key_id, called_tool, concept
FROM noted, jsonb_array_elements_text(concepts) AS concept
ON CONFLICT DO NOTHING
"""
_NOTE_CALLS = _NOTE.format(
    calls="""(
        SELECT to_timestamp(seconds) AS at, key_id, tool_name
        FROM json_to_recordset($1::json) AS row (seconds float8, key_id text, tool_name text)
    ) call""",
    searches="",
)
# Another runtime may have written the call before this one wrote the search.
_NOTE_SEARCHES = _NOTE.format(calls="h_call_record call", searches="AND search.id = ANY(%s)")


def write_searches(searches: Sequence[ToolSearch]) -> None:
    """Insert the searches that are not there yet, so that writing some again is harmless."""
    with transaction.atomic():
        ToolSearch.objects.bulk_create(searches, ignore_conflicts=True)
        with connection.cursor() as cursor:
            cursor.execute(_NOTE_SEARCHES, [[search.id for search in searches]])


def write_calls(writer: CallWriter, calls: Sequence[Call]) -> None:
    """Write the calls, and note them with the searches that led to them."""
    writer.write(calls)
    try:
        note_called_tools(calls)
    except DatabaseError:
        # The calls are written; they must not be written again for this.
        logger.warning("calls cannot be noted with their searches", exc_info=True)


def note_called_tools(calls: Sequence[Call]) -> None:
    """Note with recent searches of the same keys that a tool which they found was called."""
    # The last of equal calls in a batch, which spans half a second, says what all of them say.
    last = {(call.key_id, call.tool_name): call.at for call in calls}
    rows = [{"key_id": key, "tool_name": tool, "seconds": at} for (key, tool), at in last.items()]
    execute_bound(_NOTE_CALLS, [orjson.dumps(rows).decode()])
