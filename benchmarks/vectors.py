"""`python -m benchmarks.vectors`: our Chroma client beside Chroma's own, on one server."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np
from numpy.typing import NDArray

from config.services.chroma import EmbeddedChroma
from config.services.ports import choose_free_port
from config.services.processes import Keeper, start
from gateways.vectors.store import VectorItem, VectorStore, VectorStoreSettings

COLLECTION, MODEL, DIMENSION = "benchmark", "benchmark-model", 384
# As embeddings of sentences: a few directions matter, and all vectors lean the same way.
LATENT, LEAN, PORTION = 32, 4.0, 500
RESULTS, WARM_UP = 15, 50
# What a process has before it talks to any vector store.
BEFORE = "import asyncio, mcp.server, orjson, uvicorn"
CLIENTS = {"ours": "gateways.vectors.store", "Chroma's own": "chromadb"}
Search = Callable[[list[float]], Awaitable[Sequence[str]]]


@dataclass
class Timed:
    """One client's searches: milliseconds of each, CPU milliseconds a search of each round."""

    name: str
    search: Search
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    hits: int = 0

    async def measure(self, queries: Sequence[list[float]], expected: Sequence[set[str]]) -> None:
        """Add one round."""
        cpu = time.process_time()
        for query, wanted in zip(queries, expected, strict=True):
            start = time.perf_counter()
            found = await self.search(query)
            self.wall_ms.append((time.perf_counter() - start) * 1_000)
            self.hits += len(wanted.intersection(found))
        self.cpu_ms.append((time.process_time() - cpu) * 1_000 / len(queries))

    def row(self) -> list[str]:
        """Name, p50, p95, CPU, and the share of the true nearest that was found."""
        recall = self.hits / (len(self.wall_ms) * RESULTS)
        p95 = quantiles(self.wall_ms, n=20)[-1]
        figures = [f"{median(self.wall_ms):.2f}", f"{p95:.2f}", f"{median(self.cpu_ms):.3f}"]
        return [self.name, *figures, f"{recall:.3f}"]


def make_vectors(seed: int, count: int) -> NDArray[np.float32]:
    """Rows of unit length."""
    space = np.random.default_rng(0).standard_normal((LATENT, DIMENSION))
    lean = np.random.default_rng(1).standard_normal(DIMENSION) * LEAN
    random = np.random.default_rng(seed).standard_normal((count, LATENT))
    rows = random @ space + lean
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def make_items(count: int) -> Iterator[VectorItem]:
    """Column documents, made as they are taken."""
    for first in range(0, count, PORTION):
        for number, row in enumerate(make_vectors(first + 2, min(PORTION, count - first)), first):
            document = f"table: t{number // 20}, column: c{number}, type: VARCHAR(255)" + " x" * 60
            metadata = {"content_hash": f"{number:064d}", "kind": "column", "table": "t"}
            yield VectorItem(str(number), document, row.tolist(), metadata)


async def fill(port: int, count: int) -> None:
    """Store the items through our client and print what that took, as JSON."""
    before, start = _resident_mib(), time.perf_counter()
    async with VectorStore(_settings(port)) as store:
        await store.open(MODEL, DIMENSION, create=True)
        await store.upsert(make_items(count))
        stored = time.perf_counter()
        hashes = await store.hashes()
    figures = {
        "upsert_s": stored - start,
        "hashes_s": time.perf_counter() - stored,
        "hashes": len(hashes),
        "growth_mib": _resident_mib("VmHWM") - before,
    }
    print(json.dumps(figures))


async def compare(port: int, count: int, rounds: int) -> list[Timed]:
    """Both clients in turns over the same queries."""
    import chromadb  # noqa: PLC0415 - as heavy as the figures say

    everything = np.concatenate(
        [make_vectors(first + 2, min(PORTION, count - first)) for first in range(0, count, PORTION)]
    )
    theirs = await (await chromadb.AsyncHttpClient(port=port)).get_collection(
        COLLECTION, embedding_function=None
    )
    async with VectorStore(_settings(port)) as store:
        clients = [
            Timed("ours", _our_search(store)),
            Timed("Chroma's own", _their_search(theirs)),
        ]
        for number in range(rounds + 1):
            queries = make_vectors(-(number + 1) % 2**32, 200 if number else WARM_UP)
            nearest = np.argsort(-(queries @ everything.T), axis=1)[:, :RESULTS]
            expected = [set(map(str, row)) for row in nearest]
            for client in clients if number % 2 else reversed(clients):
                await client.measure(queries.tolist(), expected)
            if not number:
                for client in clients:
                    client.wall_ms, client.cpu_ms, client.hits = [], [], 0
        return clients


def _our_search(store: VectorStore) -> Search:
    async def search(vector: list[float]) -> Sequence[str]:
        [found] = await store.search([vector], RESULTS)
        return [match.id for match in found]

    return search


def _their_search(collection: Any) -> Search:
    async def search(vector: list[float]) -> Sequence[str]:
        found = await collection.query(
            query_embeddings=[vector],
            n_results=RESULTS,
            include=["documents", "metadatas", "distances"],
        )
        return list(found["ids"][0])

    return search


def import_cost(module: str) -> list[str]:
    """CPU seconds and MiB of importing a module in a process like runmcp."""
    program = (
        f"{BEFORE}, time\n"
        "def pages(): return int(open('/proc/self/statm').read().split()[1])\n"
        "before, cpu = pages(), time.process_time()\n"
        f"import {module}\n"
        "print(f'{time.process_time() - cpu:.2f} {(pages() - before) / 256:.1f}')"
    )
    return _run("-c", program).split()


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they have to be."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def measure(count: int, rounds: int) -> None:
    """Start a server, fill it, and print all figures."""
    keeper = Keeper()
    try:
        directory = Path(tempfile.mkdtemp(prefix="toolbuilder-vectors-"))
        keeper.remove(directory)
        port = _start_chroma(directory / "chroma", keeper)
        filled = json.loads(_run("-m", "benchmarks.vectors", "--fill", str(port), str(count)))
        print(f"{count:,} documents of {DIMENSION} numbers through our client:")
        print(", ".join(f"{name} {value:,.1f}" for name, value in filled.items()), "\n")
        clients = asyncio.run(compare(port, count, rounds))
        costs = {name: import_cost(module) for name, module in CLIENTS.items()}
    finally:
        keeper.close()
    head = ["client", "p50 ms", "p95 ms", "CPU ms", f"recall@{RESULTS}", "import s", "import MiB"]
    print_table(head, [client.row() + costs[client.name] for client in clients])


def _start_chroma(directory: Path, keeper: Keeper) -> int:
    chroma = EmbeddedChroma(directory, choose_free_port())
    process = start(chroma.command(), keeper)
    while not chroma.is_ready():
        assert process.poll() is None, "Chroma ended at its start"
        time.sleep(0.02)
    return chroma.port


def _settings(port: int) -> VectorStoreSettings:
    return VectorStoreSettings(host="127.0.0.1", port=port, collection=COLLECTION)


def _resident_mib(field_name: str = "VmRSS") -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field_name}:")[1].split()[0]) / 1_024


def _run(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True
    ).stdout


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fill", nargs=2, type=int, metavar=("PORT", "DOCUMENTS"))
    options = parser.parse_args()
    if options.fill:
        asyncio.run(fill(*options.fill))
    else:
        measure(options.documents, options.rounds)


if __name__ == "__main__":
    main()
