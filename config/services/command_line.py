"""The options of `manage.py up`, and the command without Django, whose setup would cost a second."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from config import env
from config.services.options import Options
from config.services.supervisor import Say
from config.services.up import run_up, stop_running
from core.errors import ConfigurationError


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--port-web", type=int, default=3002, help="port of the web side")
    # Not by config.env, which would find the port of a run that was killed.
    mcp_port = int(os.environ.get("MCP_PORT") or 3003)
    parser.add_argument("--port-mcp", type=int, default=mcp_port, help="port of the MCP server")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--data-dir", type=Path, default=env.data_dir(), help="keeps all state")
    parser.add_argument("--no-demo", action="store_true", help="no demo database and tools")
    parser.add_argument("--stop", action="store_true", help="stop the one that is running")


def run(arguments: Namespace, say: Say) -> None:
    """Do what the options say; raises ConfigurationError when that is impossible."""
    try:
        if arguments.stop:
            stop_running(arguments.data_dir, say)
            return
        options = Options(
            data_dir=arguments.data_dir,
            host=arguments.host,
            port_web=arguments.port_web,
            port_mcp=arguments.port_mcp,
            has_demo=not arguments.no_demo,
        )
        run_up(options, say)
    except OSError as error:
        raise ConfigurationError(
            f"{error.filename or arguments.data_dir}: {error.strerror}"
        ) from error


def main(arguments: Sequence[str]) -> int:
    """The command's exit status; errors go to standard error."""
    parser = ArgumentParser(f"{env.PROGRAM} up", description="Start everything on this machine.")
    add_arguments(parser)
    try:
        run(parser.parse_args(arguments), say)
    except ConfigurationError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def say(line: str) -> None:
    """Write a line for people; the terminal may be gone while we stop."""
    with suppress(OSError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
