"""`python -m release`: what goes into dist/, or the reason why nothing does."""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from config import env
from release.building import (
    PROJECT,
    ReleaseError,
    build_twice,
    digest,
    is_tagged,
    require_release_state,
)
from release.licences import require_licences, to_markdown, write_bill
from release.migration_policy import require_list_of
from release.site import build_site
from release.trial import Newcomer, try_wheel

DIST = PROJECT / "dist"
ALL_EXTRAS = "[local,agent]"
LOCKS = ("requirements.txt", "requirements-server.txt")


def main() -> int:
    """Build, try and list; the exit code."""
    began = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix="toolbuilder-release-"))
    # PostgreSQL runs as another user where root calls this, and must get through.
    work.chmod(0o755)
    try:
        check_commit(env.version())
        make_release(work, env.version())
    except ReleaseError as error:
        sys.stderr.write(f"no release: {error}\n")
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say(f"all of it took {time.monotonic() - began:.0f} s")
    return 0


def check_commit(version: str) -> None:
    """Say what is released. Raises ReleaseError for a commit that must not be."""
    say(f"toolbuilder {require_release_state(version)}")
    try:
        require_list_of(version)
    except ReleaseError as error:
        # Before its tag a version may still get migrations.
        if is_tagged(version):
            raise
        say(f"before the tag: {error}")


def make_release(work: Path, version: str) -> None:
    """Fill dist/ anew. Raises ReleaseError, with dist/ as it was."""
    began = time.monotonic()
    made = work / "dist"
    archives = build_twice(work, made)
    [wheel] = [path for path in archives if path.suffix == ".whl"]
    began = say_seconds("built twice, with the same bytes", began)
    newcomer = Newcomer(work / "newcomer")
    newcomer.install(wheel)
    began = say_seconds("installed from the wheel alone", began)
    for what, seconds in try_wheel(newcomer, version).items():
        say(f"    {what}: {seconds:.1f} s")
    began = say_seconds("started, called, stopped; no process left", began)
    newcomer.install(wheel, ALL_EXTRAS)
    stem = f"toolbuilder-{version}"
    licences = write_bill(newcomer.python, made / f"{stem}.cdx.json")
    require_licences(licences)
    (made / f"{stem}-licences.md").write_text(to_markdown(licences, version))
    began = say_seconds(f"bill of materials: {len(licences)} packages, no GPL", began)
    build_site(made / "site")
    say_seconds("documentation: no link leads nowhere", began)
    for lock in LOCKS:
        shutil.copy(PROJECT / lock, made / f"{stem}-{lock}")
    files = sorted(path for path in made.iterdir() if path.is_file())
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    (made / "SHA256SUMS").write_text(sums)
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.copytree(made, DIST)
    for path in files:
        say(f"    dist/{path.name}: {path.stat().st_size:,} bytes")


def say_seconds(what: str, began: float) -> float:
    """Say what is done and how long it took; the time now."""
    now = time.monotonic()
    say(f"{what}: {now - began:.1f} s")
    return now


def say(line: str) -> None:
    """Write a line for people at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
