"""Toolbuilder as a wheel installs it: the folders of the project, as they are in a checkout.

Their names (`core`, `access`, `tools`) would collide with other packages at the top of site-packages. So this one
package holds them all, and a command puts its folder in front of the path.
"""

import os
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = str(Path(__file__).parent)


def main() -> None:
    """`toolbuilder up`, `toolbuilder runmcp`: the commands of manage.py."""
    sys.path.insert(0, HERE)
    import manage

    manage.main()


def ask() -> None:
    """`toolbuilder-agent "a question"`: the data-search agent, of the extra `agent`."""
    sys.path.insert(0, HERE)
    from config.env import data_dir

    # Where it finds the address and key of `toolbuilder up`.
    os.environ.setdefault("TOOLBUILDER_DATA_DIR", str(data_dir()))
    if find_spec("google") is None or find_spec("google.adk") is None:
        sys.exit("the agent needs packages of its own; run pip install 'toolbuilder[agent]'")
    runpy.run_module("agents.data_search", run_name="__main__", alter_sys=True)
