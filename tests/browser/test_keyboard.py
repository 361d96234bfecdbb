"""The whole way by keys alone, and where the focus is when what had it is gone."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.test_shell import fill_in
from tests.browser.workbench_page import WorkbenchPage, read_served
from tests.factories import make_tool

pytest_plugins = ["tests.browser.workbench_fixtures"]

TABS_AT_MOST = 12


class Keys:
    """Presses keys, counts Tab among them, and looks after each where the focus is."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tabs = 0

    def press(self, *names: str) -> None:
        for name in names:
            self.tabs += name in ("Tab", "Shift+Tab")
            self.page.keyboard.press(name)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)


@pytest.mark.usefixtures("shop")
def test_first_tool_is_made_by_keys_with_few_tabs(
    page: Page, live_server: LiveServer, administrator: User
) -> None:
    page.goto(f"{live_server.url}/sign-in/")
    fill_in(page, "correct horse")
    expect(page.locator("main")).to_be_focused()
    keys = Keys(page)

    keys.press("Control+k")
    keys.type("new sql")
    expect(page.get_by_role("option", selected=True)).to_contain_text("New SQL tool")
    keys.press("Enter")
    expect(page.get_by_role("button", name="Empty SQL tool")).to_be_focused()
    keys.press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.insert_text("SELECT count(*) AS n FROM stock_level")
    # The result, and the description after it.
    keys.press("F6", "F6")
    expect(page.get_by_label("Tool name")).to_be_focused()
    keys.type("count_stock")
    keys.press("Tab")
    keys.type("Counts all lines of the stock. Use it when somebody asks how many there are.")
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved")
    keys.press("Control+Shift+Enter")
    dialog = page.locator("#publish-dialog")
    expect(dialog.get_by_role("button", name="Publish")).to_be_focused()
    keys.press("Enter")

    expect(page.locator("#saved")).to_contain_text("Live v1")
    assert "count_stock" in read_served()
    expect(page.locator("body:focus")).to_have_count(0)
    assert page.evaluate("document.activeElement !== document.body")
    assert keys.tabs <= TABS_AT_MOST


def test_focus_goes_on_where_its_element_goes(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    make_tool(name="sales")
    page.goto(f"{live_server.url}/tools/?q=sal")

    page.get_by_label("Name of this filter").fill("Sales")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Forget Sales")).to_be_visible()
    expect(page.get_by_label("Name of this filter")).to_be_focused()
    page.get_by_role("button", name="Forget Sales").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Forget Sales")).to_be_hidden()
    page.wait_for_function("document.activeElement !== document.body")


def test_link_leads_into_the_content_of_the_next_page(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")

    page.get_by_role("navigation", name="Main").get_by_role("link", name="Tools").first.focus()
    page.keyboard.press("Enter")

    expect(page).to_have_title("Tools · Toolbuilder")
    expect(page.locator("main")).to_be_focused()


def test_definition_is_a_drawer_where_there_is_no_room(workbench: WorkbenchPage) -> None:
    page = workbench.page
    page.set_viewport_size({"width": 1024, "height": 768})
    workbench.open(make_tool("SELECT * FROM stock_level WHERE id = :id", parameters=["id"]))
    toggle = page.get_by_role("button", name="Definition")
    expect(page.get_by_label("Tool name")).not_to_be_in_viewport()

    toggle.press("Enter")
    expect(page.get_by_label("Tool name")).to_be_focused()
    expect(page.get_by_label("Tool name")).to_be_in_viewport()
    page.keyboard.press("Escape")

    expect(toggle).to_be_focused()
    expect(page.get_by_label("Tool name")).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_layout_and_favourites_follow_to_another_window(workbench: WorkbenchPage) -> None:
    page = workbench.page
    tool = make_tool("SELECT 1 AS one")
    workbench.open(tool)
    border = page.get_by_role("separator", name="Width of the tables")
    table = page.get_by_role("treeitem", name="stock_level").first
    table.focus()
    with page.expect_response("**/preferences/tables/**"):
        page.keyboard.press("*")
    border.focus()
    with page.expect_response("**/preferences/layout/"):
        page.keyboard.press("ArrowRight")
    width = border.get_attribute("aria-valuenow")

    workbench.open(tool)

    expect(border).to_have_attribute("aria-valuenow", width or "")
    expect(page.locator(".explorer-heading").first).to_have_text("Favourites")


def test_click_on_a_column_opens_its_card(workbench: WorkbenchPage) -> None:
    page = workbench.page
    workbench.open(make_tool("SELECT 1 AS one"))
    page.get_by_role("treeitem", name="stock_level").first.click()

    # Without a pointer that rests on it.
    page.get_by_role("treeitem", name="region").dispatch_event("click", {"detail": 1})

    expect(page.locator(".column-card")).to_contain_text("stock_level.region")
