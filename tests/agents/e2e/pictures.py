"""The picture of the agent's page for the documentation: part of `make pictures`."""

import sys
import tempfile
from pathlib import Path

from tests.agents.conftest import PROJECT, serve_installation
from tests.agents.e2e.pages import browse, serve_pages

PICTURE = PROJECT / "docs" / "images" / "agent-web.png"
QUESTION = "2025년 1월 이후 매장별 매출 합계를 알려줘"
MAX_BYTES = 250_000


def main() -> int:
    """Ask in Korean, and take the picture of the answer."""
    with (
        serve_installation() as installation,
        tempfile.TemporaryDirectory() as folder,
        serve_pages(installation, Path(folder)) as url,
    ):
        browse(url, QUESTION, "강남점", PICTURE)
    size = PICTURE.stat().st_size
    sys.stdout.write(f"{PICTURE.relative_to(PROJECT)}: {size} bytes\n")
    return int(size > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
