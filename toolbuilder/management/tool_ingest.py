"""The action `ingest` of `manage.py tools`: tools from an OpenAPI document, or of another MCP server."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from toolbuilder.taking_up.ingesting import (
    IngestKind,
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)

Tell = Callable[[str], object]


def add_ingest(actions: Any) -> None:
    """Declare the action's arguments."""
    ingest: ArgumentParser = actions.add_parser(
        "ingest",
        help="make inactive tools of the operations of an OpenAPI document, or of an MCP server",
    )
    ingest.add_argument(
        "file",
        metavar="FILE",
        help="JSON or YAML; - is standard input; with --mcp the server's URL",
    )
    ingest.add_argument(
        "--source", required=True, metavar="NAME", help="the HTTP service, or the MCP server"
    )
    ingest.add_argument(
        "--mcp",
        action="store_true",
        help="FILE is the URL of an MCP server, whose tools are proxied",
    )
    ingest.add_argument(
        "--token-reference", default="", metavar="env:NAME", help="the MCP server's bearer token"
    )
    ingest.add_argument(
        "--activate", action="store_true", help="serve the MCP server's tools, or those of --only"
    )
    ingest.add_argument(
        "--server", default="", metavar="URL", help="its address (default: the document's)"
    )
    ingest.add_argument(
        "--only", nargs="+", default=[], metavar="TAG|NAME", help="only these operations"
    )
    ingest.add_argument("--dry-run", action="store_true", help="only tell what would change")
    ingest.add_argument("--as", default="", metavar="USER", help="whose rights count")
    ingest.add_argument("--note", default="", help="kept with each version")


def ingest_document(text: str, options: dict[str, Any], tell: Tell) -> int:
    """Take the document up, or tell what that would do; how many operations were refused.

    Raises ToolboxError.
    """
    reading = read_openapi_text(text)
    source = find_service(options["source"], options["server"], reading)
    plan = plan_ingest(reading, source, options["only"])
    for fault in plan.faults:
        tell(f"left out: {fault}")
    for tool in plan.gone:
        tell(f"{tool.name}: gone from the document; the tool was left as it is")
    if options["dry_run"]:
        for planned in plan.operations:
            operation = planned.operation
            route = f"{operation.method.upper()} {operation.path}"
            tell(f"{planned.snapshot.name}: {planned.kind} ({route})")
        tell(", ".join(f"{count:,} {kind}" for kind, count in plan.counts.items()))
        return 0
    save_service(source)
    kinds = {planned.snapshot.name: planned.kind for planned in plan.operations}
    refused = 0
    for outcome in apply_ingest(plan.operations, options["as"], note=options["note"]):
        if outcome.refusal:
            refused += 1
            tell(f"{outcome.name}: refused: {outcome.refusal}")
        elif outcome.version:
            tell(f"{outcome.name}: {kinds[outcome.name]}, version {outcome.version}")
    added, changed = plan.count(IngestKind.NEW), plan.count(IngestKind.CHANGED)
    tell(
        f"{added:,} new, {changed:,} changed, {len(plan.gone):,} gone, {refused:,} refused;"
        " new tools are inactive until somebody switches them on."
    )
    return refused
