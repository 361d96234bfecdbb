"""What Safari does otherwise, done to the pages in Chromium."""

from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.factories import make_tool

ENDS_WORD = """(field) => field.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }))"""

EMPTIED = """(field) => {
    dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    field.value = "";
}"""


def test_enter_that_ends_a_word_chooses_nothing(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    make_tool(name="count_days", title="日数計算")
    page.goto(f"{live_server.url}/catalogue/")
    page.keyboard.press("Control+k")
    page.keyboard.insert_text("日数")
    expect(page.get_by_role("option", name="count_days")).to_be_visible()

    # `dispatchEvent` gives false of a key that was taken.
    assert page.get_by_role("combobox", name="Search for tools").evaluate(ENDS_WORD)
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{live_server.url}/tools/count_days/")


def test_fields_that_are_emptied_on_the_way_back_are_filled_again(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/toolsets/~/new/")
    title = page.get_by_label("Title")
    title.fill("Sales Korea")

    title.evaluate(EMPTIED)

    expect(title).to_have_value("Sales Korea")
