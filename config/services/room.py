"""Whether services have room to write."""

import tempfile
from collections.abc import Iterable
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
