"""A newcomer's five ways from "New tool" to the call of an agent, with what each takes of clicks."""

import json
import logging

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_http_tools import DAYS, call, weather_url
from tests.browser.workbench_page import WorkbenchPage

__all__ = ["weather_url"]
pytest_plugins = ["tests.browser.workbench_fixtures"]
pytestmark = pytest.mark.django_db(transaction=True)

logger = logging.getLogger(__name__)
SCRIPT = """total = 0
for number in numbers:
    if number > threshold:
        total += number
result = {"sum": total}"""


class Newcomer:
    """Clicks and types, and counts the clicks."""

    def __init__(self, workbench: WorkbenchPage) -> None:
        self.page: Page = workbench.page
        self.workbench = workbench
        self.clicks = 0
        self.page.goto(f"{workbench.url}/tools/")
        self.click(self.page.get_by_role("link", name="New tool").first)

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        """Click into the field of that label and write."""
        field = self.page.get_by_label(label, exact=True)
        self.click(field)
        field.fill(text)

    def write(self, logic: str) -> None:
        """Write the logic, which has the focus in an empty tool."""
        expect(self.workbench.logic).to_be_focused()
        self.page.keyboard.insert_text(logic)
        self.page.keyboard.press("Escape")

    def describe(self, name: str, text: str) -> None:
        self.fill("Tool name", name)
        self.fill("For the agent", text)
        self.workbench.expect_saved()

    def publish(self, way: str, clicks: int) -> None:
        """Publish it, past the dialog if there is one, with at most so many clicks in all."""
        self.click(self.page.locator("#publish"))
        dialog = self.page.locator("#publish-dialog")
        live = self.page.locator("#saved", has_text="Live v")
        expect(dialog.or_(live).first).to_be_visible()
        if dialog.is_visible():
            self.click(dialog.get_by_role("button", name="Publish"))
        expect(live).to_be_visible()
        self.note(way, clicks)

    def note(self, way: str, clicks: int) -> None:
        logger.info("%s: %d clicks", way, self.clicks)
        assert self.clicks <= clicks


@pytest.fixture
def newcomer(workbench: WorkbenchPage) -> Newcomer:
    """Somebody who has pressed New tool."""
    return Newcomer(workbench)


def test_query(newcomer: Newcomer) -> None:
    newcomer.click(newcomer.page.get_by_role("button", name="Empty SQL tool"))
    newcomer.write("SELECT count(*) AS n FROM stock_level WHERE region = :region")
    newcomer.describe("count_stock", "Counts the stock of one region. Use it for how many.")

    newcomer.publish("SQL", 6)

    assert call("count_stock", {"region": "KR"})["rows"] == [[10]]


def test_expression(newcomer: Newcomer) -> None:
    newcomer.click(newcomer.page.get_by_role("button", name="Empty Python tool"))
    newcomer.write("price * quantity")
    newcomer.describe("total", "Multiplies a price by a quantity. Use it for every total.")

    newcomer.publish("expression", 6)

    assert call("total", {"price": 2.5, "quantity": 4}) == {"result": 10}


def test_script(newcomer: Newcomer) -> None:
    newcomer.click(newcomer.page.get_by_role("button", name="Empty Python tool"))
    newcomer.write(SCRIPT)
    newcomer.describe("sum_above", "Adds up the numbers above a threshold. Use it for such sums.")
    numbers = newcomer.workbench.row("numbers").get_by_role("combobox", name="Type")
    if numbers.input_value() != "AUTO":
        newcomer.click(numbers)
        numbers.select_option("NUMBER_LIST")
    newcomer.workbench.expect_saved()

    newcomer.publish("script", 8)

    answer = call("sum_above", {"numbers": [1, 5, 9], "threshold": 4})
    assert answer == {"result": {"sum": 14}}


def test_openapi_document(newcomer: Newcomer, weather_url: str) -> None:
    page = newcomer.page
    city = {"name": "city", "in": "path", "required": True, "schema": {"type": "string"}}
    operation = {
        "operationId": "get_forecast",
        "description": "The forecast of a city. Use it for weather.",
        "parameters": [city],
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Weather", "version": "1"},
        "servers": [{"url": weather_url}],
        "paths": {"/open/{city}": {"get": operation}},
    }
    newcomer.click(page.get_by_role("link", name="Tools from an OpenAPI document"))
    newcomer.fill("HTTP service", "weather")
    newcomer.fill("Text", json.dumps(document))
    newcomer.click(page.get_by_role("button", name="Show the operations"))
    newcomer.click(page.get_by_role("button", name="Allow 127.0.0.1"))
    newcomer.click(page.get_by_role("button", name="Add the chosen tools"))
    switch = page.get_by_role("switch").first
    newcomer.click(switch)
    expect(page.locator("#toasts")).to_contain_text("is active")
    newcomer.note("HTTP by OpenAPI", 9)

    assert call("get_forecast", {"city": "Jeju"})["daily"] == DAYS


def test_curl_command(newcomer: Newcomer, weather_url: str) -> None:
    newcomer.fill("curl command", f"curl '{weather_url}/open/Seoul?days=3'")
    newcomer.click(newcomer.page.get_by_role("button", name="Make a tool of it"))
    newcomer.click(newcomer.page.get_by_role("button", name="Allow 127.0.0.1"))
    expect(newcomer.page.locator("#http-path")).to_be_visible()
    newcomer.fill("For the agent", "The forecast for Seoul. Use it for its weather.")
    newcomer.workbench.expect_saved()

    newcomer.publish("HTTP by curl", 7)

    assert call("get_open_seoul", {"days": 2})["daily"] == DAYS
