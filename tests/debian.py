"""Programs of Debian packages, unpacked for tests and not installed."""

import fcntl
import shutil
import subprocess
from pathlib import Path

from config.services.processes import plain_environment

HERE = Path(__file__).parent
FETCHED = HERE.parent / ".debian"


def unpack(package: str) -> Path:
    """The folder with the package's files, fetched at the first time."""
    FETCHED.mkdir(exist_ok=True)
    with (FETCHED / f"{package}.lock").open("w") as lock:
        # Another process of the run may want it at this moment.
        fcntl.flock(lock, fcntl.LOCK_EX)
        script = HERE / "get_debian_package.sh"
        subprocess.run(["sh", str(script), package, str(FETCHED / package)], check=True)
    return FETCHED / package


def environment_of(folder: Path) -> dict[str, str]:
    """Lets a program of the folder find its libraries."""
    libraries = [str(path) for path in folder.glob("usr/lib/*-linux-gnu*")]
    return plain_environment() | {"LD_LIBRARY_PATH": ":".join(libraries)}


def find_program(name: str) -> tuple[str, dict[str, str]]:
    """A program of the Debian package of its name, and the environment that it needs; one in PATH will do."""
    if found := shutil.which(name):
        return found, plain_environment()
    folder = unpack(name)
    [path] = folder.glob(f"usr/*bin/{name}")
    return str(path), environment_of(folder)
