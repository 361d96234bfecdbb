"""`adk web agents` in Chromium."""

import json
import urllib.request
from pathlib import Path

from tests.agents.conftest import Installation
from tests.agents.e2e.pages import browse, serve_pages
from tests.agents.e2e.runs import query


def test_page_lists_one_agent_and_shows_its_answer(
    installation: Installation, tmp_path: Path
) -> None:
    [(paid,)] = query(installation.demo_dsn, "SELECT count(*) FROM orders WHERE status = 'paid'")

    with serve_pages(installation, tmp_path) as url:
        with urllib.request.urlopen(f"{url}/list-apps", timeout=60) as response:
            apps = json.load(response)
        table = browse(url, "How many orders are in each status?", "paid")

    assert apps == ["data_search"]
    assert f"paid\t{float(paid):.0f}" in table
