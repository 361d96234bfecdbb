"""The example repository: its script checks, tests and plans its own files, and applies them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from access.models import Toolset
from tests.mcp_runtime.test_runmcp import database_url
from tools.models import ToolDefinition

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("embedded_postgres"),
]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of the example, as somebody would check it out."""
    path = tmp_path / "tools-as-files"
    shutil.copytree(ROOT / "examples/tools-as-files", path)
    return path


def check(repository: Path, **variables: str) -> tuple[int, str]:
    """The exit code of the script and what it wrote."""
    environment = os.environ | {
        "TOOLBUILDER": str(ROOT),
        "PYTHON": sys.executable,
        "DATABASE_URL": database_url(),
    }
    done = subprocess.run(
        [repository / "ci/check.sh"],
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    return done.returncode, done.stdout + done.stderr


def test_script_plans_and_then_applies_the_example(repository: Path) -> None:
    code, told = check(repository)

    assert code == 0, told
    assert "add_tax: ten percent: green" in told
    assert "+ tool days_until_due (tools/days_until_due.yaml)" in told
    assert "3 new, 0 changed, 0 archived, 0 unchanged." in told
    assert not ToolDefinition.objects.exists()

    code, told = check(repository, APPLY="yes", COMMIT="1a2b3c")

    assert code == 0, told
    assert ToolDefinition.objects.active().count() == 2
    assert Toolset.objects.get().owned_by_files


def test_script_fails_where_a_test_case_is_red(repository: Path) -> None:
    path = repository / "tools/add_tax.yaml"
    path.write_text(path.read_text().replace("/ 100", "/ 10"))

    code, told = check(repository, APPLY="yes")

    assert code == 1
    assert "add_tax: ten percent: red" in told
    assert not ToolDefinition.objects.exists()
