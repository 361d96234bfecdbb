"""Where this machine's Chromium is, and how it is started."""

import os
import shutil
from typing import Any

ARGUMENTS = [
    *("--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"),
    # Pages of one address share a process, as long as one of them is open.
    "--process-per-site",
]
# The shell has no windows of its own to draw: a new context costs it a third of the time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str:
    """The path in CHROMIUM, else the first Chromium or Chrome in PATH; RuntimeError if there is none."""
    for name in (os.environ.get("CHROMIUM", ""), *PROGRAMS):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise RuntimeError(
        "Chromium is needed: run `make browser` as root on Debian or Ubuntu, install it, or name it"
        " in CHROMIUM"
    )


def launch_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Playwright's arguments of a start, with our executable."""
    arguments = [*given.get("args", []), *ARGUMENTS]
    return {**given, "executable_path": find_chromium(), "args": arguments}
