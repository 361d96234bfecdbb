"""The page that connects an agent: the key once, the client's lines, and the light that turns green."""

from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from access.keys import find_key, note_use
from tests.access.calls import make_call
from tests.browser.accessibility import PHONE, Axe, overflow_of
from tests.factories import make_tool


def test_key_is_made_shown_once_and_turns_green(
    signed_in: Page, live_server: LiveServer, axe: Axe
) -> None:
    page = signed_in
    make_tool(name="sales")
    page.goto(f"{live_server.url}/connect/?tool=sales")
    page.get_by_label("Name").fill("Kim's Cursor")
    page.get_by_role("button", name="Create a key").press("Enter")
    token = page.locator("#new-token").inner_text()
    key = find_key(token)
    assert key is not None
    expect(page).to_have_url(f"{live_server.url}/connect/{key.key_id}/")
    page.wait_for_function("document.activeElement !== document.body")
    page.locator(".client-tabs").get_by_text("Cursor", exact=True).click()
    expect(page.locator("#connection-cursor")).to_contain_text(token)
    assert axe.violations(page) == []

    make_call("sales", key_id=key.key_id)
    note_use(key)
    expect(page.locator(".waiting.connected")).to_contain_text("It called sales first.")
    expect(page.locator(".agents")).to_contain_text("last call")
    page.set_viewport_size(PHONE)
    page.reload()

    expect(page.locator("#connection-claude-code")).to_contain_text("<your key>")
    expect(page.locator("#new-token")).to_have_count(0)
    assert token not in page.content()
    assert overflow_of(page) <= 0
