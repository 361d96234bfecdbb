"""A run becomes a case, a change turns it red, and it stands in the way until somebody decides."""

import pytest
from playwright.sync_api import expect

from core.cases.documents import read_case
from tests.browser.accessibility import Axe, Look, each_look, overflow_of
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_expression, number
from toolbuilder.cases.rows import save_case
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import NightlyCases, VersionOrigin
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]

TWICE_21 = {
    "name": "twice 21", "arguments": {"a": 21}, "golden": {"answer": {"value": {"result": 42}}},
}  # fmt: skip


@pytest.fixture
def doubling(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool that doubles a number."""
    tool = make_expression(
        "a * 2",
        name="doubling",
        title="Double",
        description_agent="Doubles one number. Use it when a number has to be doubled exactly.",
        annotations={"readOnlyHint": True},
        parameters=[number("a", description="The number to double.", example=21)],
    )
    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED))
    return tool


def test_a_run_becomes_a_case_that_a_change_must_answer_for(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)
    page.locator("#p-a-test").fill("21")
    workbench.run()

    panel = workbench.show("Cases")
    panel.get_by_role("button", name="Save last run as case").click()
    dialog = page.locator("#case-dialog")
    dialog.get_by_label("Name").fill("twice 21")
    dialog.get_by_role("button", name="Save case").click()
    expect(dialog).to_have_count(0)
    expect(panel.locator(".case")).to_contain_text("green")

    workbench.write("a * 3")
    workbench.expect_saved()
    panel.get_by_role("button", name="Run all").click()
    expect(panel.locator(".case del")).to_have_text("42")
    expect(panel.locator(".case ins")).to_have_text("63")
    expect(page.get_by_role("tab", name="Cases")).to_contain_text("1 red")

    asked = workbench.publish()
    button = asked.get_by_role("button", name="Publish with 1 red case")
    expect(button).to_be_disabled()
    asked.get_by_label("Publish although a case is red").check()
    asked.get_by_label("Reason").fill("Three is right.")
    button.click()
    expect(page.locator("#toasts")).to_contain_text("doubling is live")
    page.goto(f"{workbench.url}/tools/doubling/versions/")
    expect(page.locator("main")).to_contain_text("Three is right.")


def test_the_new_answer_is_accepted_instead(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    save_case(doubling, None, read_case(TWICE_21, "case"), "admin")
    page = workbench.page
    workbench.open(doubling)
    workbench.write("a * 3")
    workbench.expect_saved()

    asked = workbench.publish()
    expect(asked).to_contain_text("1 of 1 cases is red: twice 21.")
    asked.get_by_role("button", name="Accept the new answer instead").click()
    page.locator("#publish-dialog").get_by_role("button", name="Publish anyway").click()

    expect(page.locator("#toasts")).to_contain_text("doubling is live")
    expect(page.get_by_role("tab", name="Cases")).not_to_contain_text("red")


def test_nightly_runs_that_are_not_kept_are_not_shown_as_switched_on(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    save_case(doubling, None, read_case(TWICE_21, "case"), "admin")
    workbench.open(doubling)
    switch = workbench.show("Cases").get_by_role("switch", name="Nightly")

    workbench.page.route("**/case-nightly/", lambda route: route.fulfill(status=403))
    switch.click()
    expect(workbench.page.locator(".toast.error")).to_be_visible()
    expect(switch).not_to_be_checked()

    workbench.page.unroute("**/case-nightly/")
    switch.click()
    expect(switch).to_have_attribute("checked", "")
    assert NightlyCases.objects.get().tool == doubling


@each_look
def test_red_cases_and_their_form_are_readable_by_everybody(
    workbench: WorkbenchPage, doubling: ToolDefinition, axe: Axe, look: Look
) -> None:
    document = {"arguments": {"a": 2}, "expects": [{"check": "rows", "count": 1}]}
    save_case(doubling, None, read_case({"name": "rows", **document}, "case"), "admin")
    page = workbench.page
    look.apply(page, workbench.url)
    workbench.open(doubling)
    panel = workbench.show("Cases")
    panel.get_by_role("button", name="Run all").click()
    expect(panel.locator(".case.is-red")).to_be_visible()

    assert axe.violations(page) == []
    assert overflow_of(page) == 0

    panel.get_by_role("button", name="Edit").click()
    expect(page.locator("#case-dialog")).to_be_visible()
    assert axe.violations(page) == []
