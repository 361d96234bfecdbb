"""A folder of thousands of tools: what its files cost to write, and `tools apply --dry-run` where none changed.

python -m benchmarks.folder DIR [--tools 5000], beside an installation (DATABASE_URL). It applies tools
called `folder_00000` and so on, and archives them at the end.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_TOOL = """\
toolbuilder: 1
kind: tool
name: folder_{number:05}
description_agent: The sum of sales of region {number}, by day, of the last days that are asked for.
tool_type: PYTHON
definition: |-
  total = amount * factor
  if total > limit:
      result = limit
  else:
      result = total
row_limit: 500
tags:
- folder
parameters:
- param_name: amount
  param_type: NUMBER
  description: What was sold
- param_name: factor
  param_type: NUMBER
  is_required: false
  default: 1
  description: By what it is multiplied
- param_name: limit
  param_type: NUMBER
  description: The largest answer
"""


def main() -> None:
    """Write the files, apply them, and time what an unchanged folder costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tools", type=int, default=5_000)
    options = parser.parse_args()
    tools: Path = options.folder / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (options.folder / "toolbuilder.yaml").write_text("toolbuilder: 1\nowner: benchmark\n")
    for number in range(options.tools):
        (tools / f"folder_{number:05}.yaml").write_text(_TOOL.format(number=number))
    folder = str(options.folder)
    _time("apply", folder)
    for _round in range(3):
        _time("apply", folder, "--dry-run")
    _time("export", folder)
    _time("lint", folder)
    for path in tools.iterdir():
        path.unlink()
    _time("apply", folder, "--prune")


def _time(*arguments: str) -> None:
    began = time.perf_counter()
    command: Sequence[str] = (sys.executable, "manage.py", "tools", *arguments)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    last = (done.stdout or done.stderr).strip().splitlines()[-1:]
    print(
        f"{' '.join(arguments)}: {time.perf_counter() - began:.1f} s, code {done.returncode}, {last}"
    )


if __name__ == "__main__":
    main()
