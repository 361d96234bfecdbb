"""`manage.py worker` and `manage.py beat`: Celery's processes with the options that fit them here."""

import os
from collections.abc import Sequence

from config import env


def main(arguments: Sequence[str]) -> int:
    """Run the process named first, with further options of Celery's; the command's exit status."""
    name, *further = arguments
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.celery import app  # noqa: PLC0415 - reads all settings

    options: tuple[str, ...]
    if name == "worker":
        # Threads: jobs wait for databases, and each process of a pool would cost 60 MB.
        pool = ("--pool", "threads", "--concurrency", "4")
        options = (*pool, "--without-mingle", "--without-gossip")
    else:
        # Tasks are sent by their names: none is imported, which is half of the memory.
        app.loader.worker_initialized = True
        options = ("--schedule", str(env.data_dir() / "beat-schedule"), "--pidfile=")
    # Without Celery's banner, which is no log line.
    app.start(["--quiet", name, "--loglevel", "INFO", *options, *further])
    return 0
