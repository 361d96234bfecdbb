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
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")


def find_chromium() -> str | None:
    """The path in CHROMIUM, else the first Chromium or Chrome in PATH, if there is one."""
    for name in (os.environ.get("CHROMIUM", ""), *PROGRAMS):
        path = shutil.which(name) if name else None
        if path:
            return path
    return None


def launch_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Playwright's arguments of a start, with this machine's Chromium or else Playwright's own."""
    arguments = {**given, "args": [*given.get("args", []), *ARGUMENTS]}
    path = find_chromium()
    return {**arguments, "executable_path": path} if path else arguments
