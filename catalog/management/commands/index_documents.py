"""`manage.py index_documents [FILE ...]`: loads reference documents and embeds what changed."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from catalog.documents.indexing import Progress, count_pending, index_changed
from catalog.documents.portions import (
    DOCUMENTS_TOGETHER,
    IndexingBusyError,
    IndexReport,
    IndexTarget,
)
from catalog.documents.stored import find_sources, load_files, refresh_documents, remove_source
from catalog.documents.tables import refresh_all_documents
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.management.interruption import IsStopped, stop_on_signal
from core.errors import (
    EmbeddingUnavailableError,
    ToolboxError,
    VectorStoreUnavailableError,
)
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore

FAILED, WRONG, UNAVAILABLE, BUSY, INTERRUPTED = 1, 2, 3, 4, 130
# A multiple of what is embedded together.
LINE_EVERY = 10 * DOCUMENTS_TOGETHER
_KEYS_SHOWN = 5
_EXIT_CODES = """exit codes:
  0    done
  1    a file is faulty (then nothing is loaded), or a server refused a document
  2    wrong arguments
  3    a server cannot be reached; documents are loaded, run it again for their vectors
  4    another run is under way
  130  interrupted; run it again to go on"""


class Command(BaseCommand):
    help = (
        "Load reference documents from files (JSON Lines, JSON, CSV, YAML), then embed those that"
        " changed. Without files: embed only."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = _EXIT_CODES
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
        parser.add_argument(
            "--source",
            help="what the files hold all of: documents of this source that they no longer have are"
            " removed (default: each file is the source of its name)",
        )
        parser.add_argument("--remove", metavar="SOURCE", help="remove the documents of a source")
        parser.add_argument("--rebuild", action="store_true", help="make the collection anew")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be done, and do nothing"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        files, source = options["files"], options["source"]
        if source and not files:
            raise CommandError("--source needs files", returncode=WRONG)
        sources = {source: files} if source else {path.name: [path] for path in files}
        if not source and len(sources) < len(files):
            raise CommandError("two files have the same name; give --source", returncode=WRONG)
        try:
            with transaction.atomic():
                self._load(sources, options["remove"])
                if options["dry_run"]:
                    refresh_documents()
                    collection = vector_store_settings().collection
                    pending = count_pending(IndexTarget(collection, embedding_settings().model))
                    self.stdout.write(f"{_count(pending)} to embed. Nothing was changed.")
                    transaction.set_rollback(True)
            if not options["dry_run"]:
                self._index(rebuild=options["rebuild"])
        except ToolboxError as error:
            code = FAILED
            if isinstance(error, EmbeddingUnavailableError | VectorStoreUnavailableError):
                code = UNAVAILABLE
            elif isinstance(error, IndexingBusyError):
                code = BUSY
            raise CommandError(str(error), returncode=code) from error

    def _load(self, sources: Mapping[str, Sequence[Path]], removed: str | None) -> None:
        if count := refresh_all_documents():
            self.stdout.write(f"The catalogue: {_count(count)} brought up to date.")
        if removed:
            count = remove_source(removed)
            if not count:
                known = ", ".join(find_sources()) or "none"
                raise CommandError(
                    f"there is no source {removed}; known: {known}", returncode=FAILED
                )
            self.stdout.write(f"{removed}: {_count(count)} removed.")
        for report in load_files(sources):
            self.stdout.write(
                f"{report.source}: {_count(report.total)}: {report.added:,} new,"
                f" {report.changed:,} changed, {report.unchanged:,} unchanged,"
                f" {report.removed:,} removed."
            )

    def _index(self, *, rebuild: bool) -> None:
        with stop_on_signal() as is_stopped, self._show_progress() as progress:
            report = async_to_sync(_index)(progress, rebuild, is_stopped)
        self._describe(report)
        if report.remaining:
            left = f"{_count(report.remaining)} left; run it again to go on"
            raise CommandError(f"interrupted: {left}", returncode=INTERRUPTED)
        if report.failed:
            reasons = "\n".join(f"{key}: {reason}" for key, reason in report.failed.items())
            refused = f"{_count(len(report.failed))} refused by the embedding server"
            raise CommandError(f"{refused}:\n{reasons}", returncode=FAILED)

    def _describe(self, report: IndexReport) -> None:
        if report.is_rebuilt:
            self.stdout.write("The collection was made anew.")
        self.stdout.write(
            f"Vectors: {report.embedded:,} embedded, {report.current:,} up to date,"
            f" {report.removed:,} removed."
        )
        if report.truncated:
            shown = ", ".join(report.truncated[:_KEYS_SHOWN])
            more = " ..." if len(report.truncated) > _KEYS_SHOWN else ""
            self.stdout.write(
                f"Of {_count(len(report.truncated))} only the beginning can be found: {shown}{more}"
            )

    @contextmanager
    def _show_progress(self) -> Iterator[Progress]:
        """A bar on a terminal, else a line now and then."""

        def write_line(done: int, total: int) -> None:
            if done == total or done % LINE_EVERY == 0:
                self.stdout.write(f"Embedded {done:,} of {total:,}.")
                # A log or a pipe is read while the run goes on.
                self.stdout.flush()

        if not self.stderr.isatty():
            yield write_line
            return
        columns = (TextColumn("Embedding"), BarColumn(), MofNCompleteColumn())
        with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=None, visible=False)
            yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


async def _index(progress: Progress, rebuild: bool, is_stopped: IsStopped) -> IndexReport:
    embedder = EmbeddingClient(embedding_settings())
    store = VectorStore(vector_store_settings())
    try:
        return await index_changed(embedder, store, progress, is_stopped, rebuild=rebuild)
    finally:
        await embedder.close()
        await store.close()


def _count(number: int) -> str:
    return f"{number:,} document{'' if number == 1 else 's'}"
