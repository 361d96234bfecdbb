"""Help beside the page: the drawer, the reference, the keys, the tour, and the pages of the documentation."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import Axe, Look, each_look, overflow_of
from tests.factories import make_tool
from toolbuilder.editing.drafts import open_draft

DRAWER = "#help-drawer"


@pytest.fixture
def editor(signed_in: Page, live_server: LiveServer) -> Page:
    """The editor of a tool that the person has not published."""
    tool = make_tool("SELECT 1 AS one", name="sales")
    signed_in.goto(f"{live_server.url}/tools/{tool.name}/")
    expect(signed_in.locator(".cm-content")).to_be_visible()
    return signed_in


def test_a_pane_explains_itself_and_gives_the_focus_back(editor: Page) -> None:
    button = editor.get_by_role("link", name="Help: Parameters")

    button.focus()
    editor.keyboard.press("Enter")
    drawer = editor.locator(DRAWER)
    expect(drawer.get_by_role("heading", name="Parameters")).to_be_visible()
    expect(drawer).to_be_focused()
    editor.get_by_role("link", name="Help: Tables").click()
    expect(drawer.get_by_role("heading", name="Tables")).to_be_visible()
    expect(drawer).to_have_count(1)
    editor.keyboard.press("Escape")

    expect(drawer).to_have_count(0)
    expect(editor.get_by_role("link", name="Help: Tables")).to_be_focused()


def test_the_reference_inserts_at_the_cursor(editor: Page) -> None:
    editor.locator(".cm-content").click()
    editor.keyboard.press("Control+End")

    editor.get_by_role("link", name="Reference", exact=True).click()
    expect(editor.get_by_role("combobox", name="Search the reference")).to_be_focused()
    editor.keyboard.insert_text("[[ where")
    expect(editor.locator(f"{DRAWER} [aria-selected=true]")).to_contain_text(
        "[[ WHERE city = :city ]]"
    )
    editor.keyboard.press("Enter")

    expect(editor.locator(DRAWER)).to_have_count(0)
    expect(editor.locator(".cm-content")).to_contain_text("[[ WHERE city = :city ]]")
    expect(editor.locator(".cm-content")).to_be_focused()


def test_the_sheet_has_the_keys_of_the_page_alone(editor: Page, live_server: LiveServer) -> None:
    editor.locator("h1").click()
    editor.keyboard.press("?")
    expect(editor.locator(DRAWER)).to_contain_text("take the fix")
    expect(editor.locator(f"{DRAWER} [data-keys=review]")).to_be_hidden()

    editor.goto(f"{live_server.url}/tools/")
    editor.keyboard.press("?")
    expect(editor.locator(DRAWER)).to_contain_text("Search tools")
    expect(editor.locator(f"{DRAWER} [data-keys=editor]")).to_be_hidden()


def test_the_tour_goes_on_back_and_away(editor: Page) -> None:
    editor.get_by_role("button", name="Tour").click()
    card = editor.get_by_role("dialog")
    expect(card).to_contain_text("1 of 6")
    editor.keyboard.press("Enter")
    expect(card).to_contain_text("2 of 6")
    editor.keyboard.press("ArrowLeft")
    expect(card).to_contain_text("1 of 6")
    with editor.expect_response("**/preferences/layout/"):
        editor.keyboard.press("Escape")
    expect(card).to_have_count(0)

    editor.reload()
    expect(editor.locator(".cm-content")).to_be_visible()
    expect(editor.locator("[data-tour-offer]")).to_have_count(0)


@each_look
def test_help_is_accessible(signed_in: Page, live_server: LiveServer, axe: Axe, look: Look) -> None:
    page = signed_in
    look.apply(page, live_server.url)

    page.goto(f"{live_server.url}/help/reference/statements/")
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.goto(f"{live_server.url}/help/~/search/?q=masking")
    assert axe.violations(page) == []
    page.goto(f"{live_server.url}/toolsets/")
    page.get_by_role("link", name="Help: Toolsets").click()
    expect(page.locator(DRAWER)).to_be_focused()
    assert axe.violations(page) == []


@each_look
def test_help_in_the_editor_is_accessible(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    page = signed_in
    look.apply(page, live_server.url)
    page.goto(f"{live_server.url}/tools/~/drafts/{open_draft(None, 'admin').uid}/")
    expect(page.locator(".cm-content")).to_be_visible()

    page.get_by_role("link", name="Reference", exact=True).click()
    expect(page.get_by_role("combobox", name="Search the reference")).to_be_focused()
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Tour").click()
    expect(page.locator("#tour-card")).to_be_visible()
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
