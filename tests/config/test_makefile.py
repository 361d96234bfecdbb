"""What `make` leaves behind."""

import os
import subprocess
from pathlib import Path

from tests.conftest import ROOT

# As Debian's and Ubuntu's without the package python3-venv: it tells what to install, and leaves a half.
HALF = """#!/bin/sh
[ "$1" = -m ] || exit 0
mkdir -p "$3/bin"
ln -s /bin/sh "$3/bin/python"
exit 1
"""


def test_environment_that_could_not_be_made_is_made_by_the_next_make(tmp_path: Path) -> None:
    python, environment = tmp_path / "python", tmp_path / "venv"
    python.write_text(HALF)
    python.chmod(0o755)
    target = f"{environment}/bin/python"
    command = ("make", "-C", str(ROOT.parent), target, f"VENV={environment}", f"PYTHON={python}")

    made = subprocess.run(
        command, env={"PATH": os.environ["PATH"]}, capture_output=True, check=False
    )

    assert made.returncode != 0
    assert not environment.exists()
