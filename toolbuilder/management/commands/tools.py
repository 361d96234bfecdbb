"""`manage.py tools ACTION`: lists, shows, compares, judges, tests, exports, imports, applies, ingests, calls."""

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from catalog.sources.settings import read_sources
from core.bindings import CallerFacts
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import DefinitionError, ToolboxError
from core.lints.advice import AdviceLevel
from toolbuilder.editing.advice import advise_tools
from toolbuilder.exchange.applying import ApplyRequest
from toolbuilder.exchange.directories import read_tools
from toolbuilder.exchange.exchanged import ExchangedTool
from toolbuilder.exchange.files import write_json, write_yaml
from toolbuilder.exchange.formats import read_tools_file
from toolbuilder.exchange.importing import (
    ImportConflict,
    ImportKind,
    PlannedTool,
    apply_import,
    plan_import,
)
from toolbuilder.exchange.toolbox.document import is_toolbox
from toolbuilder.exchange.toolbox.taking import describe_taking, read_renamed, take_toolbox
from toolbuilder.exchange.toolbox.writing import export_toolbox
from toolbuilder.history.differences import compare, difference_lines
from toolbuilder.history.versions import read_version, record_versions
from toolbuilder.management.tool_arguments import (
    add_without_review,
    read_arguments,
    read_claims,
)
from toolbuilder.management.tool_cases import add_test, run_tests
from toolbuilder.management.tool_files import (
    add_apply,
    apply_folder,
    export_folder,
    is_folder,
    lint_folder,
)
from toolbuilder.management.tool_ingest import add_ingest, ingest_document, ingest_server
from tools.definitions import ToolDocument
from tools.models import ToolDefinition
from tools.running import run_here

FAILED, WRONG = 1, 2
_EXIT_CODES = """exit codes:
  0    done; of apply --dry-run: nothing would change
  1    a tool was refused or has a problem, its call ended in an error, or apply found faults
  2    wrong arguments, or a file that cannot be read; of apply --dry-run: something would change
  3    an import with conflicts, of which nothing was written"""
CONFLICTS = 3
# As `terraform plan -detailed-exitcode` says it.
CHANGES = 2
_WRITERS: Mapping[str, Callable[[Iterable[ExchangedTool]], str]] = {
    "yaml": write_yaml,
    "json": write_json,
}


class Command(BaseCommand):
    help = "List, show, compare, lint, export, import, apply, ingest and call tools."
    # They load every page, which takes longer than most of the actions.
    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = _EXIT_CODES
        parser.formatter_class = RawDescriptionHelpFormatter
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        _add_reads(actions)
        _add_exchange(actions)
        add_apply(actions)
        add_ingest(actions)
        add_test(actions)
        call = actions.add_parser("call", help="call a tool, with the limits of an agent's call")
        call.add_argument("name", metavar="NAME")
        call.add_argument(
            "arguments", nargs="*", metavar="ARGUMENT", help="name=value, or name:=JSON"
        )
        call.add_argument("--version-number", type=int, metavar="N", help="an earlier version")
        call.add_argument("--owner", default="", help="the key owner that the tool is told of")
        call.add_argument("--claim", action="append", default=[], metavar="NAME=VALUE")
        call.add_argument("--json", action="store_true", help="the structured content")

    def handle(self, *_args: Any, **options: Any) -> None:
        run: Callable[[dict[str, Any]], None] = getattr(self, f"_{options['action']}")
        try:
            run(options)
        except ToolboxError as error:
            code = FAILED if options["action"] in {"apply", "call"} else WRONG
            raise CommandError(str(error), returncode=code) from error
        except OSError as error:
            if error.filename is None:
                raise
            text = f"{error.filename} cannot be used: {error.strerror}"
            raise CommandError(text, returncode=WRONG) from error

    def _list(self, options: dict[str, Any]) -> None:
        tools = ToolDefinition.objects.select_related("data_source", "quarantine", "draft")
        rows = [_describe(tool) for tool in (tools if options["all"] else tools.present())]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
        elif rows:
            self._write_table(rows)

    def _show(self, options: dict[str, Any]) -> None:
        tool = _find(options["name"])
        snapshot = _read(tool, options["version_number"])
        self.stdout.write(write_yaml([ExchangedTool(snapshot, tool.is_active)]), ending="")

    def _versions(self, options: dict[str, Any]) -> None:
        versions = _find(options["name"]).versions.order_by("-number")
        rows = [
            {
                "version": version.number,
                "published": f"{version.published_at:%Y-%m-%d %H:%M}",
                "by": version.published_by,
                "origin": version.origin,
                "note": version.note,
            }
            for version in versions
        ]
        if rows:
            self._write_table(rows)

    def _diff(self, options: dict[str, Any]) -> None:
        tool = _find(options["name"])
        old, new = _read(tool, options["old"]), _read(tool, options["new"])
        for line in difference_lines(compare(old, new)):
            self.stdout.write(line)

    def _lint(self, options: dict[str, Any]) -> None:
        if len(options["names"]) == 1 and is_folder(options["names"][0]):
            lines, has_problem = lint_folder(Path(options["names"][0]))
            for line in lines:
                self.stdout.write(line)
            if has_problem:
                raise SystemExit(FAILED)
            return
        found = advise_tools(options["names"])
        if options["json"]:
            rows = {name: [item.to_json() for item in advice] for name, advice in found.items()}
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
        else:
            for name, advice in found.items():
                for item in advice:
                    place = f" {item.place}:" if item.place else ""
                    self.stdout.write(f"{name}: {item.level}:{place} {item.text}")
        if any(item.level is AdviceLevel.PROBLEM for advice in found.values() for item in advice):
            raise SystemExit(FAILED)

    def _test(self, options: dict[str, Any]) -> None:
        if not run_tests(options, self.stdout.write):
            raise SystemExit(FAILED)

    def _record(self, _options: dict[str, Any]) -> None:
        self.stdout.write(f"{record_versions():,} versions recorded.")

    def _export(self, options: dict[str, Any]) -> None:
        tools = ToolDefinition.objects.whole().order_by("name")
        names = options["names"]
        folder = names[0] if len(names) == 1 and is_folder(names[0]) else ""
        names = options["tools"] if folder else names
        chosen = list(tools.filter(name__in=names) if names else tools.present())
        if missing := sorted(set(names) - {tool.name for tool in chosen}):
            raise DefinitionError(f"there is no tool called {', '.join(missing)}")
        given = read_tools(chosen)
        if folder:
            prunes, is_part = options["prune"], bool(names)
            tell = self.stdout.write
            export_folder(Path(folder), given, prunes=prunes, is_part=is_part, tell=tell)
            return
        is_toolbox_format = options["format"] == "toolbox"
        text = export_toolbox(chosen) if is_toolbox_format else _WRITERS[options["format"]](given)
        if options["output"]:
            Path(options["output"]).write_text(text, encoding="utf-8")
            self.stderr.write(f"{len(given):,} tools written to {options['output']}.")
        else:
            self.stdout.write(text, ending="")

    def _import(self, options: dict[str, Any]) -> None:
        text = _read_file(options["file"])
        taking = take_toolbox(text, read_renamed(options["source"])) if is_toolbox(text) else None
        for line in describe_taking(taking) if taking else ():
            self.stderr.write(line)
        plan = plan_import(taking.tools if taking else read_tools_file(text).tools)
        conflicts = [planned for planned in plan if planned.kind is ImportKind.CHANGED]
        if options["dry_run"]:
            self._tell_plan(plan)
            return
        if conflicts and options["on_conflict"] == ImportConflict.FAIL:
            self._tell_plan(conflicts)
            raise CommandError(
                f"{len(conflicts):,} tools are there and say something else, so nothing was"
                " written; choose --on-conflict skip or replace",
                returncode=CONFLICTS,
            )
        skips = options["on_conflict"] == ImportConflict.SKIP
        chosen = [planned for planned in plan if not (skips and planned in conflicts)]
        published, refused = 0, taking.refused if taking else 0
        if taking:
            taking.save_sources()
        outcomes = apply_import(
            chosen,
            options["as"],
            note=options["note"],
            override_reason=options["override_red"],
            unreviewed_because=options["without_review"].strip(),
        )
        for outcome in outcomes:
            if outcome.refusal:
                refused += 1
                self.stderr.write(f"{outcome.name}: refused: {outcome.refusal}")
            elif outcome.version:
                published += 1
                self.stdout.write(f"{outcome.name}: version {outcome.version}")
        if taking:
            taking.save_toolsets()
        self.stdout.write(f"{published:,} published, {refused:,} refused.")
        if refused:
            raise SystemExit(FAILED)

    def _apply(self, options: dict[str, Any]) -> None:
        request = ApplyRequest(
            username=options["as"],
            note=options["note"],
            override_reason=options["override_red"],
            unreviewed_because=options["without_review"].strip(),
            prunes=options["prune"],
            is_trial=options["dry_run"],
        )
        changes = apply_folder(options["folder"], request, self.stdout.write, self.stderr.write)
        if changes and request.is_trial:
            raise SystemExit(CHANGES)

    def _ingest(self, options: dict[str, Any]) -> None:
        if options["mcp"]:
            refused = ingest_server(options["file"], options, self.stdout.write)
        else:
            refused = ingest_document(_read_file(options["file"]), options, self.stdout.write)
        if refused:
            raise SystemExit(FAILED)

    def _tell_plan(self, plan: Sequence[PlannedTool]) -> None:
        for planned in plan:
            self.stdout.write(f"{planned.given.snapshot.name}: {planned.kind}")
            lines = difference_lines(planned.difference) if planned.difference else ()
            for line in lines:
                self.stdout.write(f"  {line}")
            for change in planned.breaking:
                self.stdout.write(f"  breaks calls: {change.text}")

    def _call(self, options: dict[str, Any]) -> None:
        sources = read_sources()
        spec = _read(_find(options["name"]), options["version_number"]).to_spec(sources)
        arguments = read_arguments(options["arguments"], spec.parameters)
        facts = CallerFacts(owner=options["owner"], claims=read_claims(options["claim"]))
        answer = run_here(spec, arguments, sources, facts)
        if options["json"]:
            self.stdout.write(json.dumps(answer.structured, ensure_ascii=False, indent=2))
        else:
            self.stdout.write("\n".join(answer.texts))

    def _write_table(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Columns as wide as their widest text, under their names."""
        lines = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            self.stdout.write("  ".join(cells).rstrip())


def _add_reads(actions: Any) -> None:
    listed = actions.add_parser("list", help="list tools")
    listed.add_argument("--all", action="store_true", help="archived ones too")
    listed.add_argument("--json", action="store_true")
    show = actions.add_parser("show", help="show a tool as it would be exported")
    show.add_argument("name", metavar="NAME")
    show.add_argument("--version-number", type=int, metavar="N", help="an earlier version")
    versions = actions.add_parser("versions", help="list the versions of a tool")
    versions.add_argument("name", metavar="NAME")
    diff = actions.add_parser("diff", help="compare a version with another, or with what is there")
    diff.add_argument("name", metavar="NAME")
    diff.add_argument("old", type=int, metavar="OLD")
    diff.add_argument("new", type=int, nargs="?", metavar="NEW")
    lint = actions.add_parser("lint", help="advise on tools; exit code 1 where one has a problem")
    lint.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="tools (default: all active ones), or a folder of files, for which no server is needed",
    )
    lint.add_argument("--json", action="store_true")
    actions.add_parser("record", help="keep what other programs wrote as versions")


def _add_exchange(actions: Any) -> None:
    export = actions.add_parser("export", help="write tools as YAML or JSON, or a folder of files")
    export.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="tools (default: all), or DIR: a folder, or what has a / in it",
    )
    export.add_argument(
        "--tools", nargs="+", default=[], metavar="NAME", help="with DIR: only these"
    )
    export.add_argument(
        "--prune", action="store_true", help="with DIR: remove files of tools that are not there"
    )
    export.add_argument("--format", choices=[*_WRITERS, "toolbox"], default="yaml")
    export.add_argument("--output", metavar="FILE")
    imported = actions.add_parser(
        "import", help="publish the tools of a file, ours or a tools.yaml"
    )
    imported.add_argument("file", metavar="FILE", help="- is standard input")
    imported.add_argument("--dry-run", action="store_true", help="only tell what would change")
    imported.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="THEIRS=OURS",
        help="the data source instead of one of a tools.yaml of MCP Toolbox",
    )
    imported.add_argument(
        "--on-conflict",
        choices=list(map(str, ImportConflict)),
        default=str(ImportConflict.FAIL),
        help="what to do when a tool is there and says something else (default: fail)",
    )
    imported.add_argument("--as", default="", metavar="USER", help="whose rights count")
    imported.add_argument("--note", default="", help="kept with each version")
    imported.add_argument(
        "--override-red",
        default="",
        metavar="REASON",
        help="publish although a test case is red; the reason stays in the history",
    )
    add_without_review(imported)


def _describe(tool: ToolDefinition) -> dict[str, Any]:
    draft = getattr(tool, "draft", None)
    if not tool.is_active:
        state = "archived" if tool.archived_at else "inactive"
    else:
        state = "quarantined" if getattr(tool, "quarantine", None) else "active"
    return {
        "name": tool.name,
        "kind": tool.tool_type,
        "state": state,
        "version": tool.version,
        "source": tool.data_source.name if tool.data_source else DEFAULT_SOURCE_NAME,
        "draft": draft.owner if draft and draft.is_changed else "",
    }


def _find(name: str) -> ToolDefinition:
    tool = ToolDefinition.objects.whole().filter(name=name).first()
    if tool is None:
        raise DefinitionError(f"there is no tool called {name!r}; see manage.py tools list")
    return tool


def _read(tool: ToolDefinition, number: int | None) -> ToolDocument:
    """The version of that number, or the tool as it is."""
    if number is None:
        return ToolDocument.of_row(tool)
    version = tool.versions.filter(number=number).first()
    if version is None:
        raise DefinitionError(
            f"{tool.name} has no version {number}; see manage.py tools versions {tool.name}"
        )
    return read_version(version)


def _read_file(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{name} cannot be read as UTF-8: {error}", returncode=WRONG) from error
