"""Where the time of our calls goes: py-spy's samples of the running server, counted by layer."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fetched import NotFetchedError, fetch_environment
from benchmarks.rounds import Series

PINS = ("py-spy==0.4.3",)
SAMPLES_PER_S = 400
CALLERS = 32
OTHER = "other"
# Innermost frames of threads that wait, which py-spy cannot always tell from work.
WAITS = (
    "_worker (concurrent/futures/",
    "Connection.wait (psycopg/",
    *("Condition.wait (threading.py", "Event.wait (threading.py"),
)
# A sample belongs to the first of its frames, from the innermost, that has a layer. What is called
# from several of them, such as psycopg and Django, has none and counts for its caller.
LAYERS: dict[str, tuple[str, ...]] = {
    "event loop": ("uvicorn/server.py", "uvicorn/_compat.py", "asyncio/runners.py"),
    "HTTP": (
        *("uvicorn/", "h11/", "starlette/", "sse_starlette/", "gateways/http_server/"),
        *("mcp_runtime/body_limit.py", "fastmcp/server/http.py", "access/request_ids.py"),
    ),
    "JSON": ("json/", "core/json_text.py"),
    "key": ("access/keys.py", "access/claims.py", "access/visibility.py", "mcp_runtime/auth.py"),
    "record": ("access/",),
    "anyio": ("anyio/", "sniffio/"),
    "SDK, FastMCP": ("mcp/", "mcp_types/", "fastmcp/", "pydantic/", "opentelemetry/"),
    "validation": ("core/arguments.py", "core/parameter_checks.py", "core/parameter_types/"),
    "pool": ("gateways/connection_pool.py", "gateways/fair_queue.py", "gateways/patience.py"),
    "wire": ("gateways/postgres/wire.py", "gateways/postgres/prepared.py"),
    "rows": ("gateways/postgres/rows.py", "gateways/postgres/columns.py", "gateways/cells.py"),
    "results": ("core/results.py", "core/formatting.py"),
    "source": ("gateways/",),
    "lane": ("mcp_runtime/lane/",),
    "calling": ("mcp_runtime/",),
    "tool": ("tools/", "core/"),
}


def layer_of(stack: str) -> str:
    """The layer of a line of py-spy's raw format: frames from the outermost, `name (file:line)`."""
    for frame in reversed(stack.split(";")):
        file = frame.rpartition("(")[2].rpartition(":")[0]
        for layer, beginnings in LAYERS.items():
            if file.startswith(beginnings):
                return layer
    return OTHER


def count_layers(lines: Iterable[str]) -> Counter[str]:
    """Samples of work by layer; each line ends with their number."""
    counts: Counter[str] = Counter()
    for line in lines:
        stack, _, samples = line.rpartition(" ")
        if not stack.rpartition(";")[2].startswith(WAITS):
            counts[layer_of(stack)] += int(samples)
    return counts


async def profile(
    series: Sequence[Series], calls: dict[int, int], folder: Path, seconds: int
) -> dict[str, dict[str, float]]:
    """Microseconds per call by layer, by the name of the column: the shares times what a call costs.

    Raises NotFetchedError where py-spy cannot be had or may not look into the server.
    """
    program = fetch_environment("py-spy", PINS).with_name("py-spy")
    found: dict[str, dict[str, float]] = {}
    for one in series:
        output = folder / "samples.txt"
        watched = await _watch(program, one.subject.server.process.pid, output, seconds)
        while watched.returncode is None:
            await one.keep_busy(calls[one.callers])
        _, words = await watched.communicate()
        if watched.returncode:
            raise NotFetchedError(words.decode(errors="replace").strip()[-300:])
        counts = count_layers(output.read_text().splitlines())
        whole = one.median_ms * 1_000 / max(counts.total(), 1)
        column = f"{one.case.name}, {one.subject.protocol}"
        found[column] = {layer: count * whole for layer, count in counts.items()}
    return found


async def _watch(program: Path, pid: int, output: Path, seconds: int) -> Any:
    options = ("--rate", str(SAMPLES_PER_S), "--duration", str(seconds), "--format", "raw")
    return await asyncio.create_subprocess_exec(
        *(str(program), "record", "--pid", str(pid), "--output", str(output), *options),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
