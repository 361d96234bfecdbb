"""Where a DuckDB database or a folder of files lies, and the ceilings of every query on it."""

from dataclasses import dataclass
from pathlib import Path

from gateways.extras import Extra
from gateways.fair_queue import DEFAULT_MAX_WAIT_MS

EXTRA = Extra("duckdb", "duckdb")


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckdbLimits:
    """What queries may ask for, and what the processes that run them may take.

    `row_limit`, `byte_limit` and `statement_timeout_ms` bound a query; a cell has at most `cell_limit`
    characters. A caller waits at most `max_wait_ms` for one of `pool_size` processes. In each, DuckDB
    takes `memory_bytes`, then `temp_bytes` of a folder of its own, and `threads`; what it does not count,
    such as long texts, is bounded by `spare_bytes` of address space.
    """

    pool_size: int = 4
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    statement_timeout_ms: int = 10_000
    lock_timeout_ms: int = 2_000
    row_limit: int = 10_000
    byte_limit: int = 10_000_000
    cell_limit: int = 8_192
    memory_bytes: int = 400_000_000
    temp_bytes: int = 2_000_000_000
    spare_bytes: int = 1_500_000_000
    threads: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckdbSettings(DuckdbLimits):
    """One data source: an existing database file, which is only ever read."""

    path: Path

    @property
    def target(self) -> list[object]:
        """Which file is read."""
        return ["duckdb", str(self.path)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSettings(DuckdbLimits):
    """One data source: a folder, of which each CSV, TSV, Parquet, JSON and XLSX file is a table.

    A folder that `may_be_absent` has no tables until it is made.
    """

    path: Path
    may_be_absent: bool = False

    @property
    def target(self) -> list[object]:
        """Which folder is read."""
        return ["files", str(self.path)]
