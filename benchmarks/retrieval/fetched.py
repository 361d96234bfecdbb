"""What a run takes from public registries: GitHub's OpenAPI document, BFCL and another ranker.

They are kept beside the vectors; none is a dependency of the product.
"""

import json
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import Any

OPENAPI_PACKAGE = "@octokit/openapi"
OPENAPI_VERSION = "23.0.2"
_MEMBER = "package/generated/api.github.com.json"
BFCL_PACKAGE = "bfcl-eval"
BFCL_VERSION = "2026.3.23"
PEER_PACKAGE = "graph-tool-call"
PEER_VERSION = "0.47.0"
_TIMEOUT_S = 300


class NotFetchedError(Exception):
    """Something that a registry should have given; the run goes on without it."""


def fetch_github_document(folder: Path) -> dict[str, Any]:
    """GitHub's OpenAPI document, of the version that the questions were written for.

    Raises NotFetchedError where there is no npm or its registry cannot be reached.
    """
    archive = folder / f"octokit-openapi-{OPENAPI_VERSION}.tgz"
    if not archive.exists():
        _run(["npm", "pack", "--silent", f"{OPENAPI_PACKAGE}@{OPENAPI_VERSION}"], folder)
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
        _run([*pip, "--dest", str(folder)], folder)
    return wheel


def fetch_peer(folder: Path) -> Path:
    """The Python of an environment with graph-tool-call in it.

    Raises NotFetchedError where PyPI cannot be reached.
    """
    home = folder / f"{PEER_PACKAGE}-{PEER_VERSION}"
    python = home / "bin" / "python"
    marker = home / "complete"
    if not marker.exists():
        venv.create(home, clear=True, with_pip=True)
        package = f"{PEER_PACKAGE}=={PEER_VERSION}"
        _run([str(python), "-m", "pip", "install", "--quiet", package], folder)
        marker.touch()
    return python


def run_peer(python: Path, request: Path, answer: Path) -> None:
    """Let the other environment read a request and write its answer.

    Raises NotFetchedError if it fails, as after a change of its interface.
    """
    program = Path(__file__).with_name("peer_program.py")
    _run([str(python), str(program), str(request), str(answer)], request.parent)


def _run(command: list[str], folder: Path) -> None:
    name = Path(command[0]).name
    try:
        subprocess.run(
            command,
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_TIMEOUT_S,
        )
    except FileNotFoundError as error:
        raise NotFetchedError(f"there is no {name} on this machine") from error
    except subprocess.TimeoutExpired as error:
        raise NotFetchedError(f"{name} took longer than {_TIMEOUT_S} s") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise NotFetchedError(f"{name} failed: {last[:200]}") from error


def say_skipped(what: str, error: NotFetchedError) -> None:
    """Tell people what is missing from the tables and why."""
    print(f"skipped: {what}; {error}", file=sys.stderr, flush=True)
