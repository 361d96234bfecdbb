"""What runs take from public registries, kept in a folder that git ignores.

None of it is a dependency of the product: a run goes on without what cannot be had.
"""

import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".data" / "benchmarks"
_TIMEOUT_S = 300


class NotFetchedError(Exception):
    """Something that a registry should have given; the run goes on without it."""


def fetch_environment(name: str, packages: Sequence[str], folder: Path = FOLDER) -> Path:
    """The Python of an environment of its own with these packages, each pinned as `name==1.2`.

    It is made again when the pins change. Raises NotFetchedError where PyPI cannot be reached.
    """
    home = folder / name
    python, marker = home / "bin" / "python", home / "complete"
    pins = "\n".join(packages)
    if not marker.exists() or marker.read_text() != pins:
        home.mkdir(parents=True, exist_ok=True)
        venv.create(home, clear=True, with_pip=True)
        run_fetcher([str(python), "-m", "pip", "install", "--quiet", *packages], folder)
        marker.write_text(pins)
    return python


def fetch_npm_package(name: str, version: str, folder: Path = FOLDER) -> Path:
    """The `node_modules` of an npm package and what it needs; its scripts are not run.

    Raises NotFetchedError where there is no npm or its registry cannot be reached.
    """
    home = folder / f"{name.removeprefix('@').replace('/', '-')}-{version}"
    modules, marker = home / "node_modules", home / "complete"
    if not marker.exists():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
        run_fetcher(["npm", "install", *quiet, "--prefix", str(home), f"{name}@{version}"], home)
        marker.touch()
    return modules


def run_fetcher(command: Sequence[str], folder: Path) -> None:
    """Run a command in a folder; raises NotFetchedError with its last words."""
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


def say_skipped(what: str, error: Exception) -> None:
    """Tell people what is missing from the tables and why."""
    print(f"skipped: {what}; {error}", file=sys.stderr, flush=True)
