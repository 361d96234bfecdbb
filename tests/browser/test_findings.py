"""What the line under the logic says: it is never older than the text above it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_tool
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]
STATEMENT = "SELECT id FROM stock_level WHERE region = :region"


@pytest.fixture
def stock(workbench: WorkbenchPage) -> ToolDefinition:
    return make_tool(STATEMENT, name="stock", parameters=[{"param_name": "region"}])


@pytest.fixture
def checked(workbench: WorkbenchPage, stock: ToolDefinition) -> Locator:
    """The line that says that the text was checked, of an opened editor."""
    workbench.open(stock)
    line = workbench.page.get_by_text("Checked by PostgreSQL")
    expect(line).to_be_visible()
    return line


@pytest.fixture
def disconnected(console_errors: list[str]) -> Iterator[None]:
    """The browser itself says in its console that there is no network; nobody else may."""
    yield
    said = [
        each for each in console_errors if not each.startswith("Failed to load resource: net::")
    ]
    console_errors[:] = said


def unchecked(workbench: WorkbenchPage) -> Locator:
    return workbench.page.locator("#unchecked")


def test_text_is_not_called_checked_between_a_key_and_its_answer(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    held: list[Route] = []
    workbench.page.route("**/analyse/", lambda one: one.continue_() if held else held.append(one))

    with workbench.page.expect_request("**/analyse/"):
        workbench.write(f"{STATEMENT} LIMIT 5")
        expect(unchecked(workbench)).to_have_text("Checking…")
    expect(checked).to_be_hidden()
    held[0].continue_()

    expect(checked).to_be_visible()
    expect(unchecked(workbench)).to_be_hidden()


@pytest.mark.usefixtures("disconnected")
def test_text_is_not_called_checked_while_there_is_no_connection(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    page = workbench.page
    # Not `set_offline` of the context: its pages share a process, and one back online would be told to all.
    network = page.context.new_cdp_session(page)
    unlimited = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", {"offline": True, **unlimited})

    workbench.write(f"{STATEMENT} LIMIT 5")

    expect(unchecked(workbench)).to_have_text("Not checked: no connection.")
    expect(checked).to_be_hidden()
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    network.send("Network.emulateNetworkConditions", {"offline": False, **unlimited})
    expect(checked).to_be_visible()


def test_text_whose_save_is_refused_is_not_called_checked(
    workbench: WorkbenchPage, checked: Locator, console_errors: list[str]
) -> None:
    page = workbench.page
    page.route("**/analyse/", lambda route: route.fulfill(status=400))

    workbench.write(f"{STATEMENT} LIMIT 5")

    expect(unchecked(workbench)).to_have_text("Not checked: it could not be saved.")
    expect(checked).to_be_hidden()
    # The same would be refused once more.
    expect(page.get_by_role("button", name="Retry")).to_be_hidden()
    console_errors[:] = [each for each in console_errors if "status of 400" not in each]


def test_text_is_not_called_checked_while_names_are_offered(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    page = workbench.page
    workbench.logic.focus()
    page.keyboard.press("Control+End")

    page.keyboard.type(" AND use")
    expect(page.locator(".cm-tooltip-autocomplete")).to_be_visible()

    expect(checked).to_be_hidden()
    expect(unchecked(workbench)).to_have_text("Checking…")
    page.keyboard.press("Escape")
    expect(workbench.status).to_contain_text("Line 1")


def test_text_that_was_run_before_it_was_checked_is_checked_after(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    workbench.write("SELECT regoin FROM stock_level WHERE region = :region")

    workbench.page.keyboard.press("Control+Enter")

    expect(workbench.result.get_by_role("alert")).to_be_visible()
    expect(workbench.status).to_contain_text("Line 1, column 8")
    expect(checked).to_be_hidden()


def test_text_that_was_checked_before_is_known_again(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    workbench.page.route("**/analyse/", lambda route: None)
    workbench.logic.focus()
    workbench.page.keyboard.press("Control+End")
    workbench.page.keyboard.type("x")
    expect(checked).to_be_hidden()

    workbench.page.keyboard.press("Backspace")

    expect(checked).to_be_visible()


def test_words_about_the_tool_leave_its_logic_checked(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    page = workbench.page
    page.route("**/analyse/", lambda route: None)

    page.get_by_label("For the agent").fill("Stock of a region.")
    workbench.row("region").get_by_label("Test with").fill("KR")

    expect(page.locator("#saving")).not_to_have_attribute("data-state", "saved")
    expect(checked).to_be_visible()


def test_logic_that_no_form_may_hold_is_refused_with_its_limit(
    workbench: WorkbenchPage, checked: Locator
) -> None:
    page = workbench.page

    workbench.write("SELECT 1 -- " + "x" * 5_000_000)

    reason = page.get_by_text("Not saved: the logic has 5,000,012 bytes; the limit is 100,000.")
    expect(reason).to_be_visible()
    expect(page.get_by_role("button", name="Retry")).to_be_hidden()
    expect(unchecked(workbench)).to_have_text("Not checked: it could not be saved.")
    workbench.write(STATEMENT)
    expect(checked).to_be_visible()
    workbench.expect_saved()
