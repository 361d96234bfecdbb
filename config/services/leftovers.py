"""Ending the processes of an `up` that was killed, if the system did not do it (no Linux)."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import kill_group, plain_environment
from config.services.state import read_json, write_private_json

TIMEOUT_S = 5.0


@dataclass
class ProcessRecord:
    """The file that names our children with their start times, so that a reused number is safe."""

    file: Path

    def write(self, pids: dict[str, int]) -> None:
        """Replace the record by these services' process ids; no file is left when there are none."""
        if not pids:
            self.file.unlink(missing_ok=True)
            return
        write_private_json(
            self.file,
            {name: [pid, started] for name, pid in pids.items() if (started := start_time(pid))},
        )

    def reap(self) -> list[str]:
        """End what an earlier `up` left running; the names of those services."""
        found = {}
        for name, entry in read_json(self.file).items():
            match entry:
                case [int(pid), str(started)] if start_time(pid) == started:
                    found[name] = pid
        for pid in found.values():
            # What stops PostgreSQL's sessions at once as well; the others just end.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGQUIT)
        deadline = time.monotonic() + TIMEOUT_S
        while any(map(start_time, found.values())) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in found.values():
            kill_group(pid)
        self.file.unlink(missing_ok=True)
        return list(found)


def start_time(pid: int) -> str | None:
    """When the process started, in the system's own words; None if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None if Path("/proc/self").exists() else _start_time_by_ps(pid)
    return None if fields[0] == "Z" else fields[19]


def _start_time_by_ps(pid: int) -> str | None:
    command = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
    result = subprocess.run(  # noqa: S603 - a fixed command and a number
        command, env=plain_environment(), capture_output=True, text=True, check=False
    )
    return result.stdout.strip() or None
