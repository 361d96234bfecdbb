"""The dashboard and the live log in a browser: charts are drawn, themed and lead to calls; new calls appear."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.access.calls import make_call, make_calls
from tests.browser.accessibility import Axe, Look, each_look, overflow_of

# How many pixels of each chart have a colour.
PAINTED = """() => [...document.querySelectorAll(".chart canvas")].map(canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, at) => at % 4 === 3 && value > 0).length;
})"""


@pytest.fixture
def calls(transactional_db: None) -> None:
    """Calls of a minute and of some days ago."""
    make_calls(40, caller="ann", client_name="Cursor", duration_ms=20.0)
    make_calls(5, tool_name="stock", outcome="timeout", duration_ms=900.0)
    for days in range(6):
        make_call(seconds_ago=days * 86_400)


@each_look
@pytest.mark.usefixtures("calls")
def test_charts_are_drawn_and_read(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    page = signed_in
    look.apply(page, live_server.url)

    page.goto(f"{live_server.url}/?range=7d")
    expect(page.locator(".chart canvas")).to_have_count(2)

    assert min(page.evaluate(PAINTED)) > 1_000
    assert overflow_of(page) == 0
    page.get_by_text("Show as table").click()
    expect(
        page.get_by_role("region", name="Calls, errors and durations").get_by_role("row")
    ).not_to_have_count(1)
    assert axe.violations(page) == []


@pytest.mark.usefixtures("calls")
def test_drag_over_a_chart_leads_to_the_calls_of_that_time(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/?range=7d")
    box = page.locator(".chart .u-over").first.bounding_box()
    assert box is not None

    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, middle, steps=5)
    page.mouse.up()

    expect(page).to_have_url(re.compile(r"/calls/\?start="))
    given = parse_qs(urlsplit(page.url).query)
    assert given["start"] < given["end"]
    expect(page.get_by_label("From")).to_have_value(given["start"][0])


@pytest.mark.usefixtures("calls")
def test_colours_of_the_charts_follow_the_theme(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(live_server.url)
    expect(page.locator(".chart canvas")).to_have_count(2)
    picture = "document.querySelector('.chart canvas').toDataURL()"
    before = page.evaluate(picture)

    page.evaluate("document.documentElement.dataset.theme = 'dark'")

    page.wait_for_function(f"before => {picture} !== before", arg=before)


@each_look
@pytest.mark.usefixtures("calls")
def test_live_log_shows_new_calls_until_it_is_paused(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    page = signed_in
    look.apply(page, live_server.url)
    page.goto(f"{live_server.url}/calls/")

    page.get_by_role("link", name="Follow live").click()
    expect(page.get_by_text("New calls appear as they come.")).to_be_visible()
    make_call("brand_new")
    expect(page.get_by_text("brand_new")).to_be_visible()
    assert axe.violations(page) == []
    page.get_by_role("link", name="Pause").click()

    expect(page.get_by_role("link", name="Follow live")).to_be_visible()
    assert overflow_of(page) == 0
