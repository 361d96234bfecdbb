"""Checks a DuckDB database or a folder of files: whether it can be read, and whether a write is refused."""

import asyncio
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import DataSourceError, DeadlineExceededError, ToolboxError
from core.messages import counted
from gateways.check_report import ConnectionReport, Finding, ok, refused, warning
from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from gateways.duckdb.source import DuckdbSource

INSPECTION_S = 20.0
_NAMED_FILES = 10
_WRITES = (
    "CREATE TABLE toolbuilder_check (a INTEGER)",
    "COPY (SELECT 1) TO '{folder}/toolbuilder_check.csv'",
    "ATTACH '{folder}/toolbuilder_check.duckdb' AS toolbuilder_check",
    "INSTALL httpfs",
    "SET memory_limit = '1TB'",
    "SELECT * FROM read_text('/etc/hostname')",
)
# What the process that opens the file was told, and what to do about it.
_LOCKED = refused(
    "duckdb-locked",
    "Another program has the database open for writing, and DuckDB lets nobody read beside it. End"
    " that program, or let it write a copy for readers.",
)
_NO_ANSWER = refused(
    "no-answer", "The file does not answer in time. Check the disk or the network folder it is on."
)
_MISSING = refused(
    "file-missing",
    "There is no file at this path, and a data source never makes one. Check the path.",
)
_NO_FOLDER = refused("no-folder", "There is no folder at this path. Check the path.")
_NOT_READABLE = refused(
    "not-readable",
    "This process may not read the file. Give its user the right to read file and folder.",
)
_FOLDER = refused("not-a-file", "The path is a folder. Write the path of the database's file.")


async def inspect_duckdb(settings: DuckdbSettings | FilesSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this file or folder.

    Every fault is a finding. Takes `INSPECTION_S` at most and changes nothing.
    """
    name = settings.path.name
    try:
        async with asyncio.timeout(INSPECTION_S):
            if fault := await asyncio.to_thread(_find_fault, settings):
                return ConnectionReport(database=name, findings=(fault,))
            async with DuckdbSource(replace(settings, pool_size=1)) as source:
                return await _inspect(source)
    except (TimeoutError, DeadlineExceededError):
        return ConnectionReport(database=name, findings=(_NO_ANSWER,))
    except DataSourceError as error:
        return ConnectionReport(database=name, findings=(_explain(error),))


async def _inspect(source: DuckdbSource) -> ConnectionReport:
    settings = source.settings
    greeting = await source.read_greeting()
    tables = await source.read_structure()
    faults: Sequence[tuple[str, str]] = greeting.get("faults", ())
    findings = [
        *_find_all(settings, len(tables), faults),
        await _try_writes(source, settings.path),
    ]
    return ConnectionReport(
        server=f"DuckDB {greeting['version']}",
        database=settings.path.name,
        findings=tuple(findings),
    )


def _find_fault(settings: DuckdbSettings | FilesSettings) -> Finding | None:
    path, is_folder = settings.path, isinstance(settings, FilesSettings)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        if isinstance(settings, FilesSettings) and settings.may_be_absent:
            return None
        return _NO_FOLDER if is_folder else _MISSING
    if is_folder != stat.S_ISDIR(mode):
        return _NO_FOLDER if is_folder else _FOLDER
    return None if os.access(path, os.R_OK) else _NOT_READABLE


def _find_all(
    settings: DuckdbSettings | FilesSettings, table_count: int, faults: Sequence[tuple[str, str]]
) -> Iterator[Finding]:
    path = settings.path
    if isinstance(settings, FilesSettings):
        yield ok("connected", "The folder was opened for reading.")
    else:
        yield ok("connected", "The file was opened for reading alone.")
        if path.stat().st_mode & stat.S_IWOTH:
            yield warning(
                "anybody-writes", "Every user of this machine may write the file. Run chmod o-w."
            )
    for name, reason in faults[:_NAMED_FILES]:
        yield warning(
            "file-left-out",
            "{file} is no table: {reason}.",
            file=name,
            reason=reason.rstrip(".")
            or "another file has its name, its name is not UTF-8, or it is a link that leads nowhere or out"
            " of the folder",
        )
    if table_count:
        yield ok(
            "reads",
            counted(
                "The database has 1 table or view.", "The database has {count} tables and views."
            ),
            count=table_count,
        )
    elif isinstance(settings, FilesSettings) and settings.may_be_absent:
        yield ok("no-files-yet", "No file was uploaded yet.")
    else:
        yield warning(
            "reads-nothing", "The database has no table. Check that it is the right file."
        )


async def _try_writes(source: DuckdbSource, path: Path) -> Finding:
    """Whether what no rule of ours has seen is refused by the open source itself."""
    folder = str(path.parent).replace("'", "''")
    accepted = []
    for sql in _WRITES:
        try:
            said = await source.attempt(sql.format(folder=folder))
        except ToolboxError:
            continue
        # In memory, a table is made in a transaction that is rolled back.
        if not said and not (
            sql.startswith("CREATE") and isinstance(source.settings, FilesSettings)
        ):
            accepted.append(sql)
    if accepted:
        return refused("write-accepted", "A write to a file opened read-only was not refused.")
    return ok("writes-refused", "A write was tried in {ways} ways and refused.", ways=len(_WRITES))


def _explain(error: DataSourceError) -> Finding:
    words = str(error)
    if "lock" in words.lower():
        return _LOCKED
    if "not a valid DuckDB" in words or "No such file" in words:
        return refused("not-duckdb", "The file is no DuckDB database, or it is encrypted.")
    return refused("cannot-read", "The database says: {words}.", words=words.rstrip("."))
