"""Settings, entry points and the embedded services. May import everything."""

import sys

# httpx's command line: for it alone httpx would import rich, click and pygments, where they are installed,
# which is an eighth of the start of each of our processes and 5 MiB of its memory.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
