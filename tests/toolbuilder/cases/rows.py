"""Cases of the tests, and tools that they are of."""

from typing import Any

from core.cases.documents import CaseDocument, read_case
from toolbuilder.cases.rows import save_case
from toolbuilder.editing.drafts import open_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.models import ToolCase
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolDefinition

DOUBLE = ToolDocument(
    name="double",
    description_agent="Doubles a number.",
    tool_type="PYTHON",
    definition="a * 2",
    parameters=(ParameterDocument(param_name="a", param_type="NUMBER"),),
)
FOUR: dict[str, Any] = {"check": "value", "path": "$.result", "value": 4}


def case_of(
    name: str = "twice two", *expects: dict[str, Any], arguments: dict[str, Any] | None = None
) -> CaseDocument:
    """A case that gives 2 and expects 4."""
    given = {"a": 2} if arguments is None else arguments
    return read_case(
        {"name": name, "arguments": given, "expects": list(expects or [FOUR])}, "cases[0]"
    )


def publish(snapshot: ToolDocument = DOUBLE) -> ToolDefinition:
    """A tool that ann published."""
    return publish_tool(open_draft(None, "ann", snapshot), "ann").tool


def add_case(tool: ToolDefinition, case: CaseDocument | None = None) -> ToolCase:
    """A case of that tool."""
    return save_case(tool, None, case or case_of(), "ann")
