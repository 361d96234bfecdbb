"""A program of examples/, run as a reader runs it: by its own environment, from another folder."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.agents.conftest import PROJECT, Installation
from tests.agents.examples.scripted_model import serve_scripted_model

PYTHON = PROJECT / ".venv-examples/bin/python"
TIME_LIMIT_S = 400

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """The address of the scripted model."""
    with serve_scripted_model() as url:
        yield url


@pytest.fixture
def run(installation: Installation, model_url: str, tmp_path: Path) -> Run:
    """Runs `examples/<name>` with these arguments; `without` names variables to leave unset."""
    if not PYTHON.exists():
        pytest.fail("run `make test-agent`, which installs the clients", pytrace=False)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONUTF8": "1",
        "MCP_URL": installation.mcp,
        "MCP_API_KEY": installation.api_key,
        "LLM_BASE_URL": model_url,
        "LLM_MODEL": "scripted",
    }

    def run_program(name: str, *words: str, without: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PYTHON, PROJECT / "examples" / name, *words],
            cwd=tmp_path,
            env={key: value for key, value in variables.items() if key != without},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )

    return run_program
