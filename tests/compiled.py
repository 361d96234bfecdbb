"""Run, it compiles the product and its tests, once: the processes of a run would each do it at the same time."""

import compileall
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _pytest.assertion import rewrite

ROOT = Path(__file__).parent.parent
FOLDERS = (
    "access",
    "catalog",
    "config",
    "core",
    "gateways",
    "mcp_runtime",
    "toolbuilder",
    "tools",
    "tests",
)
# Of pytest's plugins and modules of tests, it is the form with explained assertions that is loaded.
REWRITTEN = re.compile(r"/tests/(?:.*/)?(?:test_\w+|conftest|plugin)\.py$")
OTHERS = re.compile(f"{REWRITTEN.pattern}|/node_modules/")


def rewrite_assertions(path: Path) -> None:
    """Write the compiled module where pytest looks for it, as pytest does."""
    cached = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(path, cached) is None and rewrite.try_makedirs(cached.parent):
        # Without a configuration it explains assertions as ours does, which hooks into none.
        source_hash, code = rewrite._rewrite_test(path, None)  # type: ignore[arg-type]
        unfinished = cached.with_suffix(".unfinished")
        with unfinished.open("wb") as file:
            rewrite._write_pyc_fp(file, source_hash, code)
        unfinished.replace(cached)


if __name__ == "__main__":
    for folder in FOLDERS:
        compileall.compile_dir(ROOT / folder, rx=OTHERS, quiet=1, workers=0)
    paths = [path for path in (ROOT / "tests").rglob("*.py") if REWRITTEN.search(str(path))]
    with ProcessPoolExecutor() as pool:
        list(pool.map(rewrite_assertions, paths, chunksize=20))
