"""A newcomer's way: from the dashboard to a published tool and a connected agent."""

from playwright.sync_api import Locator, Page, expect

from access.keys import find_key, note_use
from tests.access.calls import make_call
from tests.browser.workbench_page import WorkbenchPage, read_served

pytest_plugins = ["tests.browser.workbench_fixtures"]


def test_newcomer_publishes_a_query(workbench: WorkbenchPage) -> None:
    page = workbench.page
    page.goto(f"{workbench.url}/")
    page.get_by_role("link", name="Your first tool").click()
    page.get_by_role("link", name="Begin empty").click()
    page.get_by_role("button", name="Empty SQL tool").click()
    workbench.wait()

    workbench.logic.click()
    page.keyboard.insert_text("SELECT id, day FROM stock_level WHERE region = :region")
    row = workbench.row("region")
    expect(row.get_by_role("combobox", name="Type")).to_have_value("AUTO")
    expect(row).to_have_attribute("data-type", "STRING")
    expect(workbench.status).to_contain_text("Checked by PostgreSQL")
    page.get_by_label("Tool name").fill("stock_of_region")
    page.get_by_label("For the agent").fill("Stock of one region, day by day. 지역별 재고.")
    row.get_by_label("Description of region").fill("KR or JP")
    row.get_by_label("Test with").fill("KR")
    page.keyboard.press("Control+Enter")
    expect(workbench.result).to_contain_text("10 rows")
    page.get_by_role("button", name="Publish", exact=True).click()

    expect(page).to_have_url(f"{workbench.url}/tools/stock_of_region/")
    expect(page.locator("#saved")).to_contain_text("Live v1")
    assert read_served() == {"stock_of_region": ["region: STRING"]}


def test_newcomer_publishes_an_expression_by_keyboard(workbench: WorkbenchPage) -> None:
    page = workbench.page
    page.goto(f"{workbench.url}/tools/~/new/")
    page.get_by_role("button", name="Empty Python tool").press("Enter")
    workbench.wait()
    page.get_by_label("Tool name").focus()

    page.keyboard.type("price_to_pay")
    page.keyboard.press("Tab")
    page.keyboard.type("Takes a discount off a price; use it instead of calculating by yourself.")
    workbench.logic.focus()
    page.keyboard.type("round(price - discount, 2)")
    expect(workbench.parameters).to_have_text(["price", "discount"])
    for key in ("Escape", "Tab"):
        page.keyboard.press(key)
    expect(workbench.logic).not_to_be_focused()
    press_until_focused(page, page.get_by_label("Description of price"))
    page.keyboard.type("Full price")
    press_until_focused(page, workbench.row("price").get_by_label("Test with"))
    page.keyboard.type("10")
    press_until_focused(page, page.get_by_label("Description of discount"))
    page.keyboard.type("What is taken off")
    press_until_focused(page, workbench.row("discount").get_by_label("Test with"))
    page.keyboard.type("0.5")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#result-value")).to_have_text("9.5")
    page.keyboard.press("Control+Shift+Enter")

    expect(page).to_have_url(f"{workbench.url}/tools/price_to_pay/")
    assert read_served() == {"price_to_pay": ["price: NUMBER", "discount: NUMBER"]}


def press_until_focused(page: Page, field: Locator, most: int = 25) -> None:
    """Press Tab until the field has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if field.evaluate("field => field === document.activeElement"):
            return
    raise AssertionError(f"Tab does not lead to {field}")


def test_first_run_waits_for_an_agent_to_connect(workbench: WorkbenchPage) -> None:
    page = workbench.page
    page.goto(f"{workbench.url}/start/")

    page.locator("summary", has_text="Connect").click()
    page.get_by_role("button", name="Create a key").click()
    expect(page.get_by_text("Waiting for the first call…")).to_be_visible()
    token = page.locator("#new-token").inner_text()
    key = find_key(token)
    assert key is not None
    make_call("stock_of_region", key_id=key.key_id)
    note_use(key)

    connected = page.locator(".waiting.connected")
    expect(connected).to_contain_text("Connected ✓: first-agent, just now.")
    expect(connected).to_contain_text("It called stock_of_region first.")
    expect(page.locator("#new-token")).to_have_text(token)
