"""The wheel and the source archive of a commit: the same bytes whoever builds them."""

import hashlib
import os
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

PROJECT = Path(__file__).parents[1]


class ReleaseError(Exception):
    """Why there is no release; the text is for whoever makes one."""


def git(*arguments: str) -> str:
    """What git says, without its last line break."""
    return subprocess.run(
        ("git", *arguments), cwd=PROJECT, check=True, capture_output=True, text=True
    ).stdout.strip()


def require_release_state(version: str) -> str:
    """What is released, in words. Raises ReleaseError for changes that are in no commit, and for a wrong tag."""
    if changed := git("status", "--porcelain"):
        raise ReleaseError(f"commit or remove these first; a release is a commit:\n{changed}")
    commit = git("rev-parse", "--short", "HEAD")
    tags = list_tags()
    if tags and not is_tagged(version):
        raise ReleaseError(
            f"the commit is tagged {', '.join(tags)}, and pyproject.toml says {version}"
        )
    return f"{version} of {commit}" + ("" if tags else f", not tagged (git tag v{version})")


def list_tags() -> list[str]:
    """The commit's tags that name versions."""
    return [tag for tag in git("tag", "--points-at", "HEAD").split() if tag.startswith("v")]


def is_tagged(version: str) -> bool:
    """Whether the commit is that version's."""
    return f"v{version}" in list_tags()


def export_commit(folder: Path) -> None:
    """The commit's files alone: what lies about in a checkout is in no release."""
    archive = subprocess.run(
        ("git", "archive", "HEAD"), cwd=PROJECT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def build(source: Path, target: Path, *kinds: str) -> list[Path]:
    """Archives of the `source` folder in `target`, of the kinds `wheel` and `sdist`; times are the commit's."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    for kind in kinds:
        subprocess.run(
            (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)),
            cwd=source,
            env=environment,
            check=True,
            capture_output=True,
        )
    return sorted(target.iterdir())


def build_twice(work: Path, target: Path) -> list[Path]:
    """The wheel and the source archive in `target`, the wheel once more from the unpacked source archive.

    Raises ReleaseError where the second wheel differs.
    """
    export_commit(work / "commit")
    archives = build(work / "commit", target, "sdist", "wheel")
    [sdist] = [path for path in archives if path.name.endswith(".tar.gz")]
    with tarfile.open(sdist) as files:
        files.extractall(work / "sdist", filter="data")
    [unpacked] = (work / "sdist").iterdir()
    [again] = build(unpacked, work / "again", "wheel")
    if digest(again) != digest(target / again.name):
        raise ReleaseError(f"{again.name} differs when it is built from {sdist.name}")
    return archives


def digest(path: Path) -> str:
    """The file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
