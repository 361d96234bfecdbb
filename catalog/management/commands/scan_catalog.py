"""`manage.py scan_catalog [SOURCE ...]`: reads the tables of data sources into the catalogue."""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from catalog.management.interruption import IsStopped, stop_on_signal
from catalog.models import CatalogScan, DataSource, ScanPhase, ScanState
from catalog.scans.run import Progress
from catalog.scans.scanning import find_or_queue_scan, find_scannable, run_scan
from catalog.scans.state import ScanBusyError, ScanLostError
from core.catalogue.entries import DEFAULT_SOURCE_NAME

FAILED, WRONG, BUSY, INTERRUPTED = 1, 2, 4, 130
LINE_EVERY_S = 5.0
_EXIT_CODES = """exit codes:
  0    done
  1    a data source could not be read, or not wholly
  2    wrong arguments
  4    another process is scanning a data source
  130  interrupted; what was read is kept"""


class Command(BaseCommand):
    help = "Read the tables of data sources into the catalogue, by default of all that can be used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = _EXIT_CODES
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument(
            "sources",
            nargs="*",
            metavar="SOURCE",
            help=f"name of a data source; {DEFAULT_SOURCE_NAME} is the default one",
        )
        parser.add_argument("--all", action="store_true", help="all that can be used (the default)")
        parser.add_argument(
            "--if-never", action="store_true", help="only those of which no scan was ever done"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["all"] and options["sources"]:
            raise CommandError("give names or --all, not both", returncode=WRONG)
        usable = find_scannable(without=[ScanState.DONE] if options["if_never"] else [])
        by_name = {source.name if source else DEFAULT_SOURCE_NAME: source for source in usable}
        names = options["sources"] or list(by_name)
        for name in names:
            if name not in by_name:
                raise CommandError(
                    f"{name} is no data source that can be used now;"
                    f" known: {', '.join(by_name) or 'none'}",
                    returncode=WRONG,
                )
        codes: list[int] = []
        with stop_on_signal() as is_stopped:
            for name in names:
                codes.append(self._scan(name, by_name[name], is_stopped))
                if codes[-1] == INTERRUPTED:
                    raise SystemExit(INTERRUPTED)
        if failures := [code for code in codes if code]:
            raise SystemExit(min(failures))

    def _scan(self, name: str, source: DataSource | None, is_stopped: IsStopped) -> int:
        """The exit code of one scan."""
        scan = find_or_queue_scan(source, "")
        try:
            with self._show_progress(name) as tell:
                run_scan(scan, tell, is_stopped)
        except (ScanBusyError, ScanLostError) as error:
            self.stderr.write(f"{name}: {error}")
            return BUSY
        for warning in scan.warnings:
            self.stderr.write(f"{name}: {warning}")
        found = f"{scan.new_count:,} new, {scan.changed_count:,} changed, {scan.gone_count:,} gone"
        match scan.state:
            case ScanState.DONE:
                self.stdout.write(f"{name}: {found}.")
                return 0
            case ScanState.CANCELLED:
                self.stderr.write(f"{name}: cancelled; {found}.")
                return INTERRUPTED
        self.stderr.write(f"{name}: {scan.error} ({found})")
        return FAILED

    @contextmanager
    def _show_progress(self, name: str) -> Iterator[Progress]:
        """A bar on a terminal, else a line now and then."""
        if not self.stderr.isatty():
            yield _Lines(name, self).write
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        detail = TextColumn("{task.fields[table]}", style="dim")
        with Bar(*columns, detail, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(escape(name), total=None, table="")
            yield lambda scan: bar.update(
                task,
                description=escape(f"{name}: {_say_phase(scan)}"),
                completed=scan.done_count,
                total=scan.total_count or None,
                table=escape(scan.table_name),
            )


class _Lines:
    """Progress for a log: a line for each phase, and every few seconds."""

    def __init__(self, name: str, command: BaseCommand) -> None:
        self._name, self._command = name, command
        self._phase = ""
        self._told_at = 0.0

    def write(self, scan: CatalogScan) -> None:
        is_due = time.monotonic() - self._told_at >= LINE_EVERY_S
        if not scan.is_active or (scan.phase == self._phase and not is_due):
            return
        self._phase, self._told_at = scan.phase, time.monotonic()
        count = f" {scan.done_count:,} of {scan.total_count:,}" if scan.total_count else ""
        self._command.stdout.write(f"{self._name}: {_say_phase(scan)}{count}")
        # A log or a pipe is read while the run goes on.
        self._command.stdout.flush()


def _say_phase(scan: CatalogScan) -> str:
    return str(ScanPhase(scan.phase).label) if scan.phase else ""
