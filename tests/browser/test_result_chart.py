"""The chart of a result: its first guess, what is kept of it with the tool, and its words."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Axe, Look, each_look
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_tool
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]

CITIES = """SELECT 'city ' || n AS city, CASE n % 2 WHEN 0 THEN 'KR' ELSE 'JP' END AS region,
 (n * 100)::numeric(10,2) AS revenue FROM generate_series(1, 60) AS n"""


@pytest.fixture
def cities() -> ToolDefinition:
    """A tool of sixty cities with their revenue."""
    return make_tool(CITIES, name="cities", description_agent="Revenue of each city.")


def test_first_guess_is_drawn_and_another_choice_is_kept_with_the_tool(
    workbench: WorkbenchPage, cities: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(cities)
    workbench.run()
    panel = workbench.show("Chart")
    drawing = panel.get_by_role("img")

    expect(drawing).to_have_attribute(
        "aria-label", "Bars of revenue across city. Largest: city 60, 6000.00."
    )
    expect(panel).to_contain_text("Top 50 of 60")
    panel.get_by_text("Show as table").click()
    expect(panel.get_by_role("cell").first).to_have_text("city 60")
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved")

    panel.get_by_role("button", name="Line").click()
    panel.get_by_label("Colour").select_option("region")
    workbench.expect_saved()
    expect(panel.locator(".chart-legend")).to_contain_text("KR")
    workbench.publish().get_by_role("button", name=re.compile("^Publish")).click()
    expect(page.locator("#saved")).to_contain_text("Live v")

    cities.refresh_from_db()
    assert cities.chart == {
        "kind": "line",
        "across": "city",
        "height": "revenue",
        "colour": "region",
        "largest_first": True,
    }
    workbench.open("/tools/cities/")
    workbench.run()
    panel = workbench.show("Chart")
    expect(panel.get_by_role("button", name="Line")).to_have_attribute("aria-pressed", "true")


def test_chart_needs_a_number(workbench: WorkbenchPage) -> None:
    workbench.open(make_tool("SELECT 'a' AS name", name="names"))
    workbench.run()
    panel = workbench.show("Chart")

    expect(panel).to_contain_text("A chart needs a number")
    panel.get_by_role("button", name="Show the table").click()
    expect(workbench.rows).to_have_count(1)


@each_look
def test_chart_is_accessible(
    workbench: WorkbenchPage, cities: ToolDefinition, axe: Axe, look: Look
) -> None:
    look.apply(workbench.page, workbench.url)
    workbench.open(cities)
    workbench.run()
    panel = workbench.show("Chart")
    expect(panel.locator("canvas")).to_be_visible()
    panel.get_by_text("Show as table").click()

    assert axe.violations(workbench.page) == []
