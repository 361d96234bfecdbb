"""The processes of background jobs."""

import os
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from tests.processes import dying_with_us


@pytest.mark.slow
def test_beat_sends_tasks_by_name_and_imports_none(tmp_path: Path, redis_url: str) -> None:
    beat = ("manage.py", "beat", "--schedule", str(tmp_path / "schedule"))
    command = dying_with_us(sys.executable, "-X", "importtime", *beat)
    lines: list[str] = []
    with Popen(
        command, stderr=PIPE, text=True, env={**os.environ, "REDIS_URL": redis_url}
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            if "beat: Starting" in line:
                break
        process.terminate()

    imported = {line.rpartition("|")[2].strip() for line in lines}
    assert "beat: Starting" in lines[-1]
    assert "config.celery" in imported
    assert imported.isdisjoint({"access.tasks", "catalog.tasks", "toolbuilder.tasks"})
