"""Uploaded files on their way to tables: each is read in a process of its own, which ends with it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import DataSourceError, DeadlineExceededError
from core.messages import message
from gateways.duckdb.messages import DuckdbOptions
from gateways.duckdb.process import DuckdbProcess
from gateways.duckdb.settings import DuckdbLimits
from gateways.engine import GuessedFile

LONGEST_S = 120.0
_LIMITS = DuckdbLimits()
_TOO_SLOW = message(
    "files.too_slow",
    "the file was not read within {seconds} s; upload it in parts, or as Parquet",
    seconds=f"{LONGEST_S:g}",
)


async def guess_file(path: Path, kind: str) -> GuessedFile:
    """The columns of a file of a kind of `gateways.duckdb.files.KINDS`. Raises DataSourceError."""
    found = await _work({"do": "guess", "path": str(path), "kind": kind}, path)
    return GuessedFile(
        tuple((str(name), str(type_name)) for name, type_name in found["columns"]),
        tuple(tuple(row) for row in found["rows"]),
    )


async def convert_file(path: Path, kind: str, types: Mapping[str, str], target: Path) -> int:
    """Write the file as Parquet, the named columns as these types, and say how many rows it has.

    Raises DataSourceError with DuckDB's words about the first value that does not fit.
    """
    request = {
        "do": "convert",
        "path": str(path),
        "kind": kind,
        "types": dict(types),
        "target": str(target),
    }
    return int((await _work(request, path, target.parent))["rows"])


async def _work(request: dict[str, Any], path: Path, *writable: Path) -> Any:
    options = DuckdbOptions(
        temp_folder="",
        memory_bytes=_LIMITS.memory_bytes,
        temp_bytes=_LIMITS.temp_bytes,
        spare_bytes=_LIMITS.spare_bytes,
        threads=_LIMITS.threads,
        readable=(str(path),),
        writable=tuple(map(str, writable)),
    )
    process = await DuckdbProcess.start(options)
    try:
        async with asyncio.timeout(LONGEST_S):
            return (await process.ask(request)).content
    except (TimeoutError, DeadlineExceededError) as error:
        raise DataSourceError(_TOO_SLOW) from error
    finally:
        process.close()
        await process.wait_until_ended()
