"""What was read of a tools.yaml against what is there: data sources and toolsets made, tools to be imported."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from access.models import Toolset, ToolsetTool
from catalog.changes import source_changed
from catalog.models import DataSource
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import ImportFileError
from core.ingest.tool_names import to_name
from core.messages import Message, message
from toolbuilder.exchange.exchanged import ExchangedTool
from toolbuilder.exchange.toolbox.document import ToolboxFinding
from toolbuilder.exchange.toolbox.reading import ReadSource, ReadToolset, read_toolbox
from tools.models import ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolboxTaking:
    """The tools of the file on data sources of ours, and what is new beside them.

    `sources` are not saved yet; `needed` are those with the ones of which the file does not say enough.
    `findings` tell what is otherwise than in the file, by lines.
    """

    tools: tuple[ExchangedTool, ...]
    sources: tuple[DataSource, ...]
    toolsets: tuple[ReadToolset, ...]
    findings: tuple[ToolboxFinding, ...]
    needed: tuple[ReadSource, ...] = ()

    @property
    def refused(self) -> int:
        return sum(finding.is_refusal for finding in self.findings)

    def save_sources(self) -> None:
        """Register the data sources that are new, without their passwords."""
        for source in self.sources:
            with transaction.atomic():
                source.save()
                source_changed(source)

    def save_toolsets(self) -> list[str]:
        """Make the toolsets, or add to those that are there, with the tools that exist; their names."""
        known = set(ToolDefinition.objects.present().values_list("name", flat=True))
        kept = []
        for given in self.toolsets:
            if not (names := known.intersection(given.tools)):
                continue
            with transaction.atomic():
                toolset, _ = Toolset.objects.get_or_create(
                    name=given.name, defaults={"description": given.description}
                )
                held = set(toolset.tools.values_list("tool_name", flat=True))
                rows = [ToolsetTool(toolset=toolset, tool_name=name) for name in names - held]
                ToolsetTool.objects.bulk_create(rows)
            kept.append(given.name)
        return kept


def take_toolbox(text: str, renamed: Mapping[str, str]) -> ToolboxTaking:
    """The file's content on data sources of ours; `renamed` are ours by the file's names.

    A source that is neither there nor among `renamed` is to be made, if the file says where it is.
    Raises ImportFileError.
    """
    reading = read_toolbox(text)
    findings = list(reading.findings)
    declared = {source.name: source for source in reading.sources}
    known = {DEFAULT_SOURCE_NAME, *DataSource.objects.values_list("name", flat=True)}
    if unknown := sorted(set(renamed.values()) - known):
        raise ImportFileError(
            message(
                "toolbox.no_such_source",
                "there is no data source {names} to take instead",
                names=", ".join(unknown)[:200],
            )
        )
    ours = {to_name(theirs, theirs)[:63]: name for theirs, name in renamed.items()}
    made: dict[str, DataSource] = {}
    needed: list[ReadSource] = []
    for name, source in declared.items():
        if name in ours or name in known:
            continue
        needed.append(source)
        row, refusal = _make_source(source)
        if refusal:
            findings.append(ToolboxFinding(source.line, name, refusal, is_refusal=True))
        else:
            made[name] = row
    tools = []
    for tool in reading.tools:
        theirs = to_name(tool.document.data_source or "", "")[:63]
        source_name: str | None = ours.get(theirs, theirs)
        if source_name in {"", DEFAULT_SOURCE_NAME}:
            source_name = None
        tools.append(ExchangedTool(tool.document.replace(data_source=source_name)))
    findings.sort(key=lambda finding: finding.line)
    return ToolboxTaking(
        tuple(tools),
        tuple(made.values()),
        tuple(reading.toolsets),
        tuple(findings),
        tuple(needed),
    )


def read_renamed(pairs: Iterable[str]) -> dict[str, str]:
    """Our data sources by the file's names, of THEIRS=OURS. Raises ImportFileError."""
    split = [pair.partition("=") for pair in pairs]
    if not all(theirs and ours for theirs, _, ours in split):
        raise ImportFileError(
            message("toolbox.source_pair", "a source is given as the file's name=ours")
        )
    return {theirs: ours for theirs, _, ours in split}


def describe_taking(taking: ToolboxTaking) -> Iterator[str]:
    """What the file gives beside its tools, a line each."""
    for finding in taking.findings:
        kind = "refused: " if finding.is_refusal else ""
        yield f"line {finding.line}: {finding.name}: {kind}{finding.text}"
    for source in taking.sources:
        yield f"{source.name}: new data source, {source.address}"
    names = {tool.snapshot.name for tool in taking.tools}
    for toolset in taking.toolsets:
        taken = len(names.intersection(toolset.tools))
        yield f"{toolset.name}: toolset with {taken:,} of its {len(toolset.tools):,} tools"


def _make_source(source: ReadSource) -> tuple[DataSource, Message | None]:
    """The row, not saved, and why it cannot be."""
    row = DataSource(name=source.name, **source.columns)
    if source.missing:
        return row, message(
            "toolbox.source_incomplete",
            "the file leaves {columns} to the environment; register the data source by that name"
            " first, or name another with --source",
            columns=", ".join(source.missing),
        )
    try:
        row.full_clean(exclude=["password"])
    except ValidationError as error:
        return row, message(
            "toolbox.source_refused",
            "it cannot be a data source: {reason}",
            reason=" ".join(error.messages),
        )
    return row, None
