"""Room on the disk: whether services can write, and logs kept small while they are written to."""

import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# PostgreSQL makes files of 16 MB ahead of what it writes.
PROBED_MEBIBYTES = 32


def explain_full_disk(folders: Iterable[Path]) -> str:
    """The first of the folders to which 32 MiB cannot be written and why, as a sentence; '' for none.

    Found by writing: the free space that a file system reports knows nothing of quotas and limits.
    """
    for folder in folders:
        try:
            with tempfile.TemporaryFile(dir=folder) as probe:
                for _ in range(PROBED_MEBIBYTES):
                    probe.write(bytes(1024 * 1024))
        except OSError as error:
            return f"nothing more can be written to {folder} ({error.strerror})"
    return ""


@dataclass(frozen=True)
class LogRotation:
    """Copies each log above `max_bytes` to `<name>.log.1`, shifts older copies up, and empties it.

    Services keep the file open and append to it, so it cannot be replaced: a line that is written
    between the copy and the emptying is lost. `kept` copies of each log are kept; `max_bytes` 0
    leaves all logs alone.
    """

    folder: Path
    max_bytes: int
    kept: int

    def rotate(self) -> None:
        """Do it once, for every log that is too large; one that cannot be copied grows on."""
        for log in self.folder.glob("*.log"):
            with suppress(OSError):
                if self.max_bytes and log.stat().st_size > self.max_bytes:
                    self._rotate(log)

    def _rotate(self, log: Path) -> None:
        copies = [log.with_name(f"{log.name}.{number}") for number in range(1, self.kept + 1)]
        if copies:
            # First, so that there is room for the new copy if the disk is nearly full.
            copies[-1].unlink(missing_ok=True)
            for older, newer in zip(copies[::-1], copies[-2::-1], strict=False):
                if newer.exists():
                    newer.replace(older)
            private = os.open(copies[0], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with log.open("rb") as source, open(private, "wb") as target:  # noqa: PTH123
                    shutil.copyfileobj(source, target)
            except OSError:
                copies[0].unlink(missing_ok=True)
                raise
        os.truncate(log, 0)
