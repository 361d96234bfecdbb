"""A program for tests: supervises two shell children, one with a grandchild, until it is stopped."""

import asyncio
import sys
from functools import partial
from pathlib import Path

from config.services.command_line import say
from config.services.disk import explain_full_disk
from config.services.leftovers import ProcessRecord
from config.services.processes import Command, Keeper
from config.services.supervisor import RestartPolicy, Service, Supervisor

# A folder for each start, which takes no room.
SCRIPT = """
mkdir start-$$
sleep 1000 & echo "$! $$" >> pids; while :; do sleep 0.02; done
"""
QUICK = RestartPolicy(limit=3, first_delay_s=0.01, blocked_delay_s=0.01)


def main(folder: Path) -> None:
    """Write every process id into `folder`/pids, and `up` when all children run."""
    command = Command(("/bin/sh", "-c", SCRIPT), folder=folder)
    services = [Service(name, lambda: command) for name in ("one", "other")]
    keeper = Keeper()
    record = ProcessRecord(folder / "processes.json")
    supervisor = Supervisor(
        services,
        keeper,
        say,
        QUICK,
        record.write,
        find_obstacle=partial(explain_full_disk, [folder]),
    )
    (folder / "keeper").write_text(str(keeper.process.pid))
    asyncio.run(supervisor.run((folder / "up").touch))
    keeper.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
