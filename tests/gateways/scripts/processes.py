"""What Linux tells of processes."""

from pathlib import Path

PAGE_BYTES = 4_096


def children(parent: int) -> list[int]:
    """The children that still run, oldest first."""
    return sorted(pid for pid in _pids() if _stat(pid)[1:2] == [str(parent)] and is_alive(pid))


def is_alive(pid: int) -> bool:
    """Whether the process still runs; one that only waits to be waited for does not."""
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def resident_bytes(pid: int) -> int:
    """The memory that the process holds, pages shared with others included."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES


def cpu_ticks(pid: int) -> int:
    """The hundredths of a second that it has computed, 0 of one that is gone."""
    user, system = _stat(pid)[11:13] or ("0", "0")
    return int(user) + int(system)


def open_files(pid: int) -> list[str]:
    """The numbers of its file descriptors."""
    return sorted(entry.name for entry in Path(f"/proc/{pid}/fd").iterdir())


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str]:
    """State, parent and more, or nothing of a process that is gone."""
    try:
        # The name before them is in brackets, and may hold anything.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
