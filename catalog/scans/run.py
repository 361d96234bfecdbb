"""One run of a scan: tables are listed, read, related and sampled, and what was read stays read."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TypeVar

from asgiref.sync import sync_to_async

from catalog.management.interruption import IsStopped
from catalog.models import CatalogScan, ScanPhase
from catalog.scans.relations import RelationWriter
from catalog.scans.rows import (
    find_altered_tables,
    find_read_tables,
    mark_gone,
    publish_changes,
    write_tables,
    write_waiting_relations,
)
from catalog.scans.samples import (
    SAMPLE_ROWS,
    SampledTable,
    SampleOutcome,
    find_due_tables,
    load_tables,
    write_samples,
)
from catalog.scans.state import ScanCancelledError, is_cancel_wanted, keep_scan, warn
from core.catalogue.entries import TableName, TableShape
from core.catalogue.masking import MASK
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.messages import Message, foreign, message
from gateways.engine import DatabaseSettings
from gateways.engines import open_schema_reader
from gateways.schema_reading import SchemaReader

# How often progress is written, and how soon a scan notices that it is to end.
PULSE_S = 0.5
TABLES_TOGETHER = 200
SAMPLES_TOGETHER = 50
SAMPLING_READERS = 4
_QUOTED = re.compile(r"""(["'`]).*\1""", re.DOTALL)

T = TypeVar("T")
# Gets the scan whenever its progress was written.
Progress = Callable[[CatalogScan], None]


@dataclass
class ScanRun:
    """Carries a scan out; `scan` says how far it is, also when an error ends it.

    `tell` is called and `is_stopped` asked every half second, in the thread that started the run.
    """

    scan: CatalogScan
    settings: DatabaseSettings
    tell: Progress
    is_stopped: IsStopped
    sampling_timeout_s: float
    _unread: set[TableName] = field(default_factory=set)
    # Changed tables of which searches do not know yet; they hear of them once they are sampled.
    _unpublished: set[int] = field(default_factory=set)

    async def run(self) -> None:
        """Read everything.

        Raises DataSourceError where the source cannot be read on, ScanCancelledError, ScanLostError.
        """

        def write_progress() -> None:
            if self.is_stopped() or is_cancel_wanted(self.scan):
                raise ScanCancelledError(message("scan.cancelled", "the scan was cancelled"))
            keep_scan(self.scan)
            self.tell(self.scan)

        async def pulse() -> None:
            while True:
                await asyncio.sleep(PULSE_S)
                await sync_to_async(write_progress)()

        tasks = [asyncio.create_task(self._work()), asyncio.create_task(pulse())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None and not isinstance(outcome, asyncio.CancelledError):
                raise outcome

    def publish_rest(self) -> None:
        """Let searches find what was read and, as the scan ended early, not sampled."""
        publish_changes(self.scan, self._unpublished)
        self._unpublished.clear()

    async def _work(self) -> None:
        async with open_schema_reader(self.settings) as reader:
            self._begin(ScanPhase.LISTING)
            listed = sorted(await reader.list_tables())
            if not listed:
                warn(
                    self.scan,
                    message(
                        "scan.no_tables", "The data source shows no tables; may its role read any?"
                    ),
                )
            relations = RelationWriter(self.scan, frozenset(listed))
            read = await sync_to_async(find_read_tables)(self.scan)
            self._unpublished = await sync_to_async(find_altered_tables)(self.scan)
            self._begin(ScanPhase.READING, len(listed), len(read.intersection(listed)))
            for names in _portions([name for name in listed if name not in read], TABLES_TOGETHER):
                self.scan.table_name = _show(names[0])
                shapes = await self._read_shapes(reader, names)
                self._unpublished |= await sync_to_async(write_tables)(self.scan, shapes, relations)
            # What could not be written with its table. Keys of tables that a lost process has read
            # are read again: it knew which of them waited.
            read_before = [name for name in listed if name in read]
            self._begin(ScanPhase.RELATING, len(read_before))
            for names in _portions(read_before, TABLES_TOGETHER):
                shapes = await self._read_shapes(reader, names)
                await sync_to_async(relations.add)(shapes, {})
                self.scan.done_count += len(shapes)
            self._unpublished |= await sync_to_async(write_waiting_relations)(self.scan, relations)
            await sync_to_async(mark_gone)(self.scan, self._unread)
        await self._sample()

    async def _read_shapes(
        self, reader: SchemaReader, names: Sequence[TableName]
    ) -> list[TableShape]:
        """The tables that can be read; the others are noted, each found by halving its portion."""
        try:
            return await reader.read_tables(names)
        except DataSourceUnavailableError:
            raise
        except (DataSourceError, StatementError, DeadlineExceededError) as error:
            if len(names) == 1:
                self._unread.add(names[0])
                self.scan.done_count += 1
                unread = message(
                    "scan.table_unread",
                    "{table} could not be read: {reason}",
                    table=_show(names[0]),
                    reason=error.message,
                )
                warn(self.scan, unread)
                return []
        middle = len(names) // 2
        first = await self._read_shapes(reader, names[:middle])
        return first + await self._read_shapes(reader, names[middle:])

    async def _sample(self) -> None:
        due = await sync_to_async(find_due_tables)(self.scan)
        self._begin(ScanPhase.SAMPLING, len(due))
        deadline = asyncio.get_running_loop().time() + self.sampling_timeout_s
        async with AsyncExitStack() as stack:
            readers = [
                await stack.enter_async_context(open_schema_reader(self.settings))
                for _ in range(min(SAMPLING_READERS, len(due)))
            ]
            for ids in _portions(due, SAMPLES_TOGETHER):
                tables = await sync_to_async(load_tables)(ids)
                outcomes = await self._sample_together(readers, tables, deadline)
                await sync_to_async(write_samples)(self.scan, outcomes)
                sampled = self._unpublished.intersection(outcome.table.pk for outcome in outcomes)
                await sync_to_async(publish_changes)(self.scan, sampled)
                self._unpublished -= sampled
        if left := len(due) - self.scan.done_count:
            warn(
                self.scan,
                message(
                    "scan.not_sampled",
                    "{count} tables were not sampled: the time for samples was over.",
                    count=left,
                ),
            )

    async def _sample_together(
        self, readers: Sequence[SchemaReader], tables: Sequence[SampledTable], deadline: float
    ) -> list[SampleOutcome]:
        waiting = iter(tables)
        outcomes: list[SampleOutcome] = []

        async def work(reader: SchemaReader) -> None:
            for table in waiting:
                if asyncio.get_running_loop().time() > deadline:
                    return
                self.scan.table_name = _show(table.shape.name)
                try:
                    sample = await reader.read_sample(table.shape, table.masked, SAMPLE_ROWS)
                    outcome = SampleOutcome(table, sample)
                except DataSourceUnavailableError:
                    raise
                except (DataSourceError, StatementError, DeadlineExceededError) as error:
                    outcome = SampleOutcome(table, note=_hide_values(error.message))
                self.scan.done_count += 1
                outcomes.append(outcome)

        try:
            async with asyncio.TaskGroup() as group:
                for reader in readers:
                    group.create_task(work(reader))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return outcomes

    def _begin(self, phase: ScanPhase, total: int = 0, done: int = 0) -> None:
        self.scan.phase, self.scan.table_name = phase.value, ""
        self.scan.done_count, self.scan.total_count = done, total


def _hide_values(note: Message) -> Message:
    """A database's own words without what they quote: values of masked columns, which agents would read."""
    return foreign(_QUOTED.sub(MASK, note.template)) if note.is_foreign else note


def _show(name: TableName) -> str:
    return f"{name.schema}.{name.name}" if name.schema else name.name


def _portions(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
