"""Writing in the editor: names that change everywhere, cards at the cursor, faults explained, pieces of text."""

import pytest
from playwright.sync_api import expect

from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_expression, make_tool
from toolbuilder.models import ToolDraft
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]


@pytest.fixture
def stock(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool on the table, with a described parameter."""
    return make_tool(
        "SELECT id FROM stock_level\nWHERE region = :region OR {{ region }} IS NULL",
        name="stock",
        parameters=[{"param_name": "region", "description": "KR or JP", "example": "KR"}],
    )


def rename(workbench: WorkbenchPage, name: str) -> None:
    """Type the new name into the box that asks for it."""
    box = workbench.page.get_by_role("dialog", name="Rename")
    expect(box).to_be_visible()
    box.get_by_role("textbox").fill(name)
    workbench.page.keyboard.press("Enter")


def saved_name() -> str:
    return str(ToolDraft.objects.get().document["parameters"][0]["param_name"])


def test_parameter_is_renamed_everywhere_and_undone_in_one_step(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    workbench.open(stock)
    workbench.logic.get_by_text(":region").click()

    workbench.page.keyboard.press("F2")
    rename(workbench, "area")

    expect(workbench.logic).to_contain_text("region = :area OR {{ area }} IS NULL")
    expect(workbench.row("area").get_by_label("Description of area")).to_have_value("KR or JP")
    workbench.expect_saved()
    assert saved_name() == "area"
    workbench.logic.focus()
    workbench.page.keyboard.press("Control+z")
    expect(workbench.row("region").get_by_label("Description of region")).to_have_value("KR or JP")
    expect(workbench.logic).to_contain_text("region = :region OR {{ region }} IS NULL")


def test_row_renames_a_name_of_a_script_and_refuses_one_in_use(workbench: WorkbenchPage) -> None:
    make_expression(
        "half = price / 2\nresult = round(half, digits=1) + price",
        name="half",
        parameters=[{"param_name": "price", "param_type": "NUMBER"}],
    )
    workbench.open("/tools/half/")

    workbench.row("price").get_by_role("button", name="price", exact=True).click()
    rename(workbench, "half")
    expect(workbench.page.get_by_text("This name is in use already.")).to_be_visible()
    rename(workbench, "cost")

    expect(workbench.logic).to_contain_text("half = cost / 2")
    expect(workbench.logic).to_contain_text("round(half, digits=1) + cost")
    expect(workbench.row("cost")).to_be_visible()


def test_resting_on_a_name_shows_what_it_is(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    workbench.open(stock)
    expect(workbench.page.get_by_role("treeitem", name="stock_level")).to_be_visible()
    card, keyboard = workbench.page.locator(".code-editor .column-card"), workbench.page.keyboard

    workbench.page.wait_for_load_state("networkidle")
    for x in (4, 8):
        # The first move has the cards fetched.
        workbench.logic.get_by_text(":region").hover(position={"x": x, "y": 6})
    expect(card).to_contain_text("KR or JP")
    workbench.page.mouse.move(0, 0)
    workbench.logic.focus()
    for keys, told in (
        (["Control+Home", "End"], "재고"),
        (["Home", *["ArrowRight"] * 8], "integer"),
    ):
        for key in (*keys, "Alt+Enter"):
            keyboard.press(key)
        expect(card).to_contain_text(told)
        expect(card).to_be_focused()
        keyboard.press("Escape")
        expect(card).to_be_hidden()
        expect(workbench.logic).to_be_focused()


def test_fault_is_explained_with_an_example(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    workbench.open(stock)
    workbench.write("SELECT nope FROM stock_level")
    card = workbench.page.get_by_role("dialog", name="Explain")

    workbench.status.get_by_role("link", name="Explain").click()

    expect(card).to_contain_text("A column is looked up in the tables of FROM")
    expect(card.get_by_role("link", name="Read more")).to_have_attribute(
        "href", "/help/reference/statements/"
    )
    workbench.page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    workbench.logic.get_by_text("nope").hover()
    workbench.page.locator(".cm-tooltip").get_by_role("button", name="Explain").click()
    expect(card).to_be_visible()


def test_run_that_adds_texts_offers_a_list_of_numbers(workbench: WorkbenchPage) -> None:
    make_expression(
        "total = 0\nfor n in numbers:\n    total = total + n\nresult = total",
        name="adds",
        parameters=[{"param_name": "numbers", "param_type": "STRING_LIST", "example": ["1"]}],
    )
    workbench.open("/tools/adds/")
    workbench.page.get_by_role("button", name="Test run").click()
    offer = workbench.page.get_by_role("button", name="numbers: make it a list of numbers")

    offer.click()

    kind = workbench.row("numbers").get_by_label("Type", exact=True)
    expect(kind).to_have_value("NUMBER_LIST")
    workbench.expect_saved()


def test_snippet_is_put_in_with_places_to_fill(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    workbench.open(stock)
    workbench.write("SELECT id FROM stock_level WHERE true ")

    workbench.page.keyboard.type("optional_f")
    workbench.page.get_by_role("option", name="optional_filter").click()
    workbench.page.keyboard.type("region")
    workbench.page.keyboard.press("Tab")
    workbench.page.keyboard.type("area")

    expect(workbench.logic).to_contain_text("WHERE true [[ AND region = :area ]]")
