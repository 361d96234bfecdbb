"""Before the statement runs: it only reads, forgets no condition, and brings out nothing that is masked."""

from collections.abc import Callable, Coroutine
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from agents.data_search.callbacks.references import fetch_tables
from agents.data_search.catalogue import full_name
from agents.data_search.constants import COLUMN_NAMES_STATES, SQL_QUERY, STANDARD_COLUMNS
from agents.data_search.mcp_tools import ToolServer
from agents.data_search.prompts import load_prompt
from agents.data_search.replies import find_conditions, read_sql, read_standard_columns
from agents.data_search.statements import find_forgotten, find_masked, find_tables, writes

BeforeTool = Callable[..., Coroutine[Any, Any, dict[str, Any] | None]]


def check_sql_before_tool_callback(server: ToolServer) -> BeforeTool:
    """A callback that sends the bare statement, or answers in the server's place with what is wrong with it."""

    async def check(
        tool: BaseTool, args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        state = tool_context.state
        statement = str(args.get("sql_query") or state.get(SQL_QUERY) or "")
        statement = read_sql(statement) or statement
        args["sql_query"] = state[SQL_QUERY] = statement
        if writes(statement):
            return _refuse("writes")
        columns = read_standard_columns(str(state.get(STANDARD_COLUMNS) or ""))
        conditions = find_conditions(str(state.get(COLUMN_NAMES_STATES) or ""), columns)
        forgotten = find_forgotten(statement, [condition.column for condition in conditions])
        if words := [each.keyword for each in conditions if each.column in forgotten]:
            return _refuse("forgotten", conditions=", ".join(words), columns=", ".join(forgotten))
        tables = await fetch_tables(server, find_tables(statement), tool_context)
        masked = {
            full_name(table): [
                str(column.get("name"))
                for column in table.get("columns", ())
                if column.get("masked")
            ]
            for table in tables
        }
        if shown := find_masked(statement, masked):
            return _refuse("masked", columns=", ".join(shown))
        return None

    return check


def _refuse(reason: str, **values: str) -> dict[str, Any]:
    return {"status": "error", "message": load_prompt(f"refused_sql.{reason}").format(**values)}
