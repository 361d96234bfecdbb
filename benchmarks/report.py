"""The figures of a run as tables for people and as JSON for programs."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rounds import Series
from benchmarks.sizes import Sized, median_or_zero

PEER, FLOOR = "hand-coded FastMCP", "bare Starlette"


def print_report(
    series: Sequence[Series], sized: Sequence[Sized], idle: Mapping[str, float]
) -> None:
    """Three tables on standard output."""
    smallest = sized[0].server
    larger = {one.server.name for one in sized[1:]}
    print("\nServer processor time per call, ms: median (min-max)")
    print_table(
        ["call", "server", "protocol", "CPU ms", "of hand-coded", "of bare"],
        [_call_row(one, series) for one in series if one.server.name not in larger],
    )
    print("\nThe same calls with more tools, 2026-07-28")
    print_table(
        ["call", "tools", "CPU ms", "of 10 tools"],
        [_growth_row(one, series, smallest.name) for one in _growth(series, sized)],
    )
    print("\nNumber of tools; seconds are wall clock, the rest is processor time and memory")
    print_table(
        [
            "tools",
            "start s",
            "first list s",
            "list CPU ms",
            "reload s",
            "MiB started",
            "MiB listed",
            "MiB peak",
        ],
        [_size_row(one) for one in sized],
    )
    print("\nIdle, CPU ms per s:", ", ".join(f"{name} {ms:.2f}" for name, ms in idle.items()))


def write_report(
    path: Path, series: Sequence[Series], sized: Sequence[Sized], idle: Mapping[str, float]
) -> None:
    """All figures, round by round."""
    report = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count()},
        "calls": [_call_figures(one) for one in series],
        "sizes": [_size_figures(one) for one in sized],
        "idle_cpu_ms_per_s": dict(idle),
    }
    path.write_text(json.dumps(report, indent=2) + "\n")


def _call_row(one: Series, series: Sequence[Series]) -> list[str]:
    protocol = "2026-07-28" if one.protocol == "plain HTTP" else one.protocol
    peer = _find(series, one.case.name, PEER, protocol)
    floor = _find(series, one.case.name, FLOOR, "plain HTTP")
    ratios = [f"{one.median_ms / other.median_ms:.2f}" for other in (peer, floor)]
    return [one.case.name, one.server.name, one.protocol, _spread(one.cpu_ms), *ratios]


def _growth(series: Sequence[Series], sized: Sequence[Sized]) -> list[Series]:
    """Series of our servers whose case was measured at every size, case by case."""
    names = [one.server.name for one in sized]
    ours = [one for one in series if one.server.name in names and one.protocol == "2026-07-28"]
    cases = list(dict.fromkeys(one.case.name for one in ours if one.server.name == names[-1]))
    found = [one for one in ours if one.case.name in cases]
    return sorted(found, key=lambda one: cases.index(one.case.name))


def _growth_row(one: Series, series: Sequence[Series], smallest: str) -> list[str]:
    base = _find(series, one.case.name, smallest, one.protocol)
    ratio = f"{one.median_ms / base.median_ms:.2f}"
    return [one.case.name, one.server.name.split(", ")[1], _spread(one.cpu_ms), ratio]


def _size_row(one: Sized) -> list[str]:
    return [
        f"{one.tool_count:,}",
        _spread(one.start_s, 2),
        _spread(one.listed_s, 2),
        f"{median_or_zero(one.list_cpu_ms):,.0f}",
        _spread(one.reload_s, 2),
        f"{one.resident_mib:.0f}",
        f"{one.listed_mib:.0f}",
        f"{one.peak_mib:.0f}",
    ]


def _find(series: Sequence[Series], case: str, server: str, protocol: str) -> Series:
    wanted = (case, server, protocol)
    return next(one for one in series if (one.case.name, one.server.name, one.protocol) == wanted)


def _spread(figures: Sequence[float], digits: int = 3) -> str:
    middle = median_or_zero(list(figures))
    return f"{middle:.{digits}f} ({min(figures):.{digits}f}-{max(figures):.{digits}f})"


def _call_figures(one: Series) -> dict[str, Any]:
    return {
        "call": one.case.name,
        "server": one.server.name,
        "protocol": one.protocol,
        "median_ms": one.median_ms,
        "rounds_ms": one.cpu_ms,
    }


def _size_figures(one: Sized) -> dict[str, Any]:
    names = (
        *("tool_count", "start_s", "listed_s", "list_cpu_ms", "reload_s"),
        *("resident_mib", "listed_mib", "peak_mib"),
    )
    return {name: getattr(one, name) for name in names}


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Columns as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for line in (head, ["-" * width for width in widths], *rows):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
