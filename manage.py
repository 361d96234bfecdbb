#!/usr/bin/env python
"""Django's command line, and the product's: `up`, `runweb`, `runmcp`, `worker`, `beat`, `create_api_key`."""

import gc
import os
import sys

from config import env


def main() -> None:
    """Run the command that the arguments name."""
    command = sys.argv[1] if sys.argv[1:] else ""
    if command == "--version":
        sys.stdout.write(f"toolbuilder {env.version()}\n")
        return
    if command == "up":
        # Django's set-up takes a second, and nothing of `up` needs it; nor do the servers need `up`.
        from config.services.command_line import main as up  # noqa: PLC0415

        sys.exit(up(sys.argv[2:]))
    if command == "runweb":
        from config.web.serving import main as runweb  # noqa: PLC0415 - imports a web server

        # Before Django: the settings depend on what is served.
        sys.exit(runweb(sys.argv[2:]))
    if command in {"worker", "beat"}:
        from config.jobs import main as run_jobs  # noqa: PLC0415 - imports Celery

        sys.exit(run_jobs(sys.argv[1:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # Modules are no garbage: looking for some in them is a tenth of the set-up.
    gc.set_threshold(50_000, 20, 50)
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - see above

    execute_from_command_line(sys.argv)


# The guard is needed: `runmcp --workers N` spawns processes that import this file again.
if __name__ == "__main__":
    main()
