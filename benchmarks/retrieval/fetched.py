"""What a run takes from public registries: GitHub's OpenAPI document, BFCL and another ranker.

They are kept beside the vectors; none is a dependency of the product.
"""

import json
import sys
import tarfile
from pathlib import Path
from typing import Any

from benchmarks.fetched import NotFetchedError, fetch_environment, run_fetcher

OPENAPI_PACKAGE = "@octokit/openapi"
OPENAPI_VERSION = "23.0.2"
_MEMBER = "package/generated/api.github.com.json"
BFCL_PACKAGE = "bfcl-eval"
BFCL_VERSION = "2026.3.23"
PEER_PACKAGE = "graph-tool-call"
PEER_VERSION = "0.47.0"


def fetch_github_document(folder: Path) -> dict[str, Any]:
    """GitHub's OpenAPI document, of the version that the questions were written for.

    Raises NotFetchedError where there is no npm or its registry cannot be reached.
    """
    archive = folder / f"octokit-openapi-{OPENAPI_VERSION}.tgz"
    if not archive.exists():
        run_fetcher(["npm", "pack", "--silent", f"{OPENAPI_PACKAGE}@{OPENAPI_VERSION}"], folder)
    with tarfile.open(archive) as opened:
        member = opened.extractfile(_MEMBER)
        if member is None:
            raise NotFetchedError(f"{archive.name} holds no {_MEMBER}")
        document: dict[str, Any] = json.load(member)
    return document


def fetch_bfcl(folder: Path) -> Path:
    """The wheel of the Berkeley Function Calling Leaderboard, which holds its questions.

    Raises NotFetchedError where PyPI cannot be reached.
    """
    wheel = folder / f"{BFCL_PACKAGE.replace('-', '_')}-{BFCL_VERSION}-py3-none-any.whl"
    if not wheel.exists():
        package = f"{BFCL_PACKAGE}=={BFCL_VERSION}"
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package]
        run_fetcher([*pip, "--dest", str(folder)], folder)
    return wheel


def fetch_peer(folder: Path) -> Path:
    """The Python of an environment with graph-tool-call in it.

    Raises NotFetchedError where PyPI cannot be reached.
    """
    package = f"{PEER_PACKAGE}=={PEER_VERSION}"
    return fetch_environment(f"{PEER_PACKAGE}-{PEER_VERSION}", [package], folder)


def run_peer(python: Path, request: Path, answer: Path) -> None:
    """Let the other environment read a request and write its answer.

    Raises NotFetchedError if it fails, as after a change of its interface.
    """
    program = Path(__file__).with_name("peer_program.py")
    run_fetcher([str(python), str(program), str(request), str(answer)], request.parent)
