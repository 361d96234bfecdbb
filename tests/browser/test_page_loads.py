"""What a page asks for while it loads: each thing once, and what browsers keep not again."""

from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_tool

pytest_plugins = ["tests.browser.workbench_fixtures"]

# Names without addresses' queries; `transferSize` is 0 of what the browser had.
LOADED = """
() => performance.getEntriesByType("resource").map(({ name, transferSize }) => [new URL(name).pathname, transferSize > 0])
"""


# Of what came, in bytes as they were sent, the page itself among them.
SIZE = """() => ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)"""


def loaded(page: Page) -> list[tuple[str, bool]]:
    """The files and parts that the page asked for, and whether each came over the network."""
    return [(name, is_sent) for name, is_sent in page.evaluate(LOADED)]


def offers_tables(workbench: WorkbenchPage) -> None:
    """Wait until the editor completes names of tables, which come last."""
    workbench.logic.focus()
    workbench.page.keyboard.press("Control+End")
    offered = workbench.page.locator(".cm-tooltip-autocomplete").filter(has_text="stock_level")
    # They may not be there yet when they are first asked for.
    while not offered.is_visible():
        workbench.page.keyboard.press("Control+Space")
        workbench.page.wait_for_timeout(100)
    # They are asked for behind the first picture.
    expect(workbench.page.locator("#explorer-tables")).to_contain_text("stock_level")


def test_editor_asks_for_everything_once_and_the_second_time_for_its_parts_alone(
    workbench: WorkbenchPage,
) -> None:
    make_tool("SELECT id FROM st", name="stock")
    workbench.open("/tools/stock/")
    offers_tables(workbench)
    first, size = loaded(workbench.page), workbench.page.evaluate(SIZE)

    workbench.open("/tools/stock/")
    offers_tables(workbench)
    second = [name for name, is_sent in loaded(workbench.page) if is_sent]

    assert {name: n for name, n in Counter(name for name, _ in first).items() if n > 1} == {}
    assert len(first) <= 12
    assert size <= 350_000
    assert sorted(second) == ["/tools/~/explorer/", "/tools/~/schema/"]


@pytest.mark.parametrize("address", ["/", "/tools/", "/calls/"])
def test_page_asks_for_nothing_twice_and_not_again(
    signed_in: Page, live_server: LiveServer, address: str
) -> None:
    visits: list[Any] = []
    for _ in range(2):
        signed_in.goto(f"{live_server.url}{address}", wait_until="networkidle")
        visits.append(loaded(signed_in))

    first, second = visits
    assert {name: n for name, n in Counter(name for name, _ in first).items() if n > 1} == {}
    assert [name for name, is_sent in second if is_sent] == []
