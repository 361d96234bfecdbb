"""The grid of a result: moved in by keys, sorted, filtered, copied from, and shown alone."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import Axe, Look, each_look
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_tool
from tests.waiting import wait_until

pytest_plugins = ["tests.browser.workbench_fixtures"]

ROWS = """SELECT n AS id, CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'KR' END AS region,
 (n * 1.5)::numeric(10,2) AS amount, jsonb_build_object('lines', jsonb_build_array(n)) AS details
FROM generate_series(1, 3000) AS n"""


@pytest.fixture
def many(workbench: WorkbenchPage) -> WorkbenchPage:
    """The editor with the 3,000 rows of a run."""
    workbench.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    workbench.open(make_tool(ROWS, name="many", row_limit=5_000))
    workbench.run()
    # The grid hears of keys once it says where it is.
    expect(workbench.page.locator(".grid-foot")).to_contain_text("of 3,000")
    return workbench


def grid_of(page: Page) -> Locator:
    return page.get_by_role("grid", name="Rows of the result")


def meant(page: Page) -> Locator:
    """The cell that the keys are about."""
    return page.locator("#grid-meant")


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def choose_by_keys(page: Page, name: str, *, steps: int) -> None:
    """Open the menu of what is meant, go so many items down to the one of that name, and press it."""
    page.keyboard.press("Shift+F10")
    for _ in range(steps):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitem", name=name)).to_be_focused()
    page.keyboard.press("Enter")


def test_every_row_is_there_and_only_those_in_sight_are_drawn(many: WorkbenchPage) -> None:
    page, grid = many.page, grid_of(many.page)

    expect(grid).to_have_attribute("aria-rowcount", "3001")
    expect(page.locator(".grid-foot")).to_contain_text("of 3,000")
    assert many.rows.count() < 60
    assert many.rows.first.get_by_role("gridcell").all_inner_texts() == [
        "1",
        "null",
        "1.50",
        "{lines}",
    ]
    expect(many.rows.nth(2).get_by_role("gridcell").nth(1)).to_have_text("empty")

    grid.focus()
    page.keyboard.press("Control+End")
    expect(meant(page)).to_have_text("{lines}")
    expect(page.get_by_role("row").filter(has=meant(page))).to_have_attribute(
        "aria-rowindex", "3001"
    )
    page.keyboard.press("PageUp")
    page.keyboard.press("Home")
    assert 2_900 < int(meant(page).inner_text()) < 3_000
    expect(grid).to_have_attribute("aria-activedescendant", "grid-meant")


def test_grid_keeps_the_focus_when_a_later_answer_comes(many: WorkbenchPage) -> None:
    page = many.page
    grid_of(page).focus()
    page.keyboard.press("ArrowRight")

    with page.expect_response("**/analyse/"):
        # Nothing is typed: as a field does that another program fills.
        page.get_by_label("For the agent", exact=True).evaluate(
            "field => { field.value = 'Rows.'; field.dispatchEvent(new Event('input', {bubbles: true})) }"
        )
    many.expect_saved()

    expect(grid_of(page)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(meant(page)).to_have_text("1.50")


def test_cells_and_rows_are_copied_with_their_digits(many: WorkbenchPage) -> None:
    page = many.page
    grid_of(page).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    page.keyboard.press("Control+c")
    expect(page.locator(".grid-foot")).to_contain_text("Copied")
    assert clipboard(page) == "3.00"
    page.keyboard.press("Control+Shift+c")
    wait_until(lambda: clipboard(page) != "3.00")
    assert clipboard(page) == '{"id": 2, "region": "KR", "amount": 3.00, "details": {"lines":[2]}}'


def test_head_sorts_the_fetched_rows_and_the_foot_says_so(many: WorkbenchPage) -> None:
    page, head = many.page, many.result.get_by_role("columnheader", name="amount")

    head.click()
    head.click()

    expect(head).to_have_attribute("aria-sort", "descending")
    expect(many.rows.first.get_by_role("gridcell").first).to_have_text("3000")
    expect(page.locator(".grid-foot")).to_contain_text(
        "Sorted here by amount, not by the statement"
    )
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="As the statement says").click()
    expect(many.rows.first.get_by_role("gridcell").first).to_have_text("1")


def test_columns_are_resized_pinned_and_hidden_by_keys(many: WorkbenchPage) -> None:
    page, head = many.page, many.result.get_by_role("columnheader", name="region")
    grid_of(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    width = head.evaluate("head => head.offsetWidth")

    page.keyboard.press("Alt+ArrowRight")
    assert head.evaluate("head => head.offsetWidth") == width + 24
    choose_by_keys(page, "Pin or unpin", steps=3)
    expect(many.rows.first.get_by_role("gridcell").first).to_have_text("null")
    choose_by_keys(page, "Hide", steps=5)

    expect(head).to_have_count(0)
    many.result.get_by_label("Columns", exact=True).click()
    expect(page.locator("[data-column-list] input:not(:checked)")).to_have_count(1)


def test_rows_are_filtered_by_text_and_by_a_cell(many: WorkbenchPage) -> None:
    page = many.page
    grid_of(page).focus()
    page.keyboard.press("Control+f")
    page.keyboard.type("299")
    expect(page.locator(".grid-foot")).to_contain_text("3,000 were fetched")
    page.keyboard.press("Enter")
    expect(grid_of(page)).to_be_focused()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Only rows like this").click()

    chip = page.locator("[data-like]")
    expect(chip).to_have_count(1)
    chip.click()
    expect(chip).to_have_count(0)


def test_detail_shows_json_as_a_tree_with_paths(many: WorkbenchPage) -> None:
    page = many.page
    grid_of(page).focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    detail = page.get_by_role("complementary", name="Detail")

    expect(detail).to_contain_text("lines list of 1")
    detail.get_by_role("button", name="0 1").focus()
    detail.get_by_role("button", name="Copy path").click()
    expect(page.locator(".grid-foot")).to_contain_text("Copied")
    assert clipboard(page) == "$.lines[0]"
    detail.get_by_role("button", name="Row below").click()
    expect(detail).to_contain_text("row 2")
    page.keyboard.press("Escape")

    expect(detail).to_be_hidden()
    expect(grid_of(page)).to_be_focused()


def test_row_is_expected_in_a_case(many: WorkbenchPage) -> None:
    page = many.page
    grid_of(page).focus()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Expect this in a case").click()
    dialog = page.get_by_role("dialog", name="New case")

    expect(dialog.get_by_label("What is expected").first).to_have_value("row")
    values = json.loads(dialog.get_by_label("Value", exact=True).first.input_value())
    assert values == {"id": 1, "region": None, "amount": 1.5}
    dialog.get_by_label("Name").fill("the first")
    dialog.get_by_role("button", name="Save case").click()

    page.get_by_role("tab", name="Cases").click()
    expect(page.locator("#cases")).to_contain_text("the first")


def test_result_takes_the_page_until_escape(many: WorkbenchPage) -> None:
    page, button = many.page, many.result.get_by_role("button", name="The result takes the page")

    button.click()
    expect(many.logic).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "true")
    grid_of(page).focus()
    page.keyboard.press("Escape")

    expect(many.logic).to_be_visible()


@each_look
def test_grid_its_menus_and_its_detail_are_accessible(
    workbench: WorkbenchPage, axe: Axe, look: Look
) -> None:
    page = workbench.page
    look.apply(page, workbench.url)
    workbench.open(make_tool(ROWS, name="many", row_limit=5_000))
    workbench.run()
    grid = grid_of(page)
    expect(grid).to_be_visible()
    assert axe.violations(page) == []

    grid.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Detail")).to_be_visible()
    assert axe.violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu")).to_be_visible()

    assert axe.violations(page) == []
