"""What the editor does at the end of a piece of work: it leads on, takes back, and says what it asks for."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import PHONE, Axe, overflow_of
from tests.browser.workbench_page import WorkbenchPage, read_served
from tests.factories import make_expression, make_tool, number
from toolbuilder.editing.drafts import open_draft
from toolbuilder.models import ToolDraft
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]
STATEMENT = "SELECT id, region FROM stock_level WHERE day > :since"


@pytest.fixture
def draft(workbench: WorkbenchPage) -> str:
    """The address of a draft that was never published."""
    made = open_draft(None, "admin", ToolDocument(name="stock_since"))
    return f"/tools/~/drafts/{made.uid}/"


@pytest.fixture
def doubling(workbench: WorkbenchPage) -> ToolDefinition:
    return make_expression("a * 2", name="doubling", parameters=[number("a", example=21)])


def test_new_tool_is_published_without_leaving_the_page(
    workbench: WorkbenchPage, page: Page, draft: str, axe: Axe
) -> None:
    workbench.open(draft)
    page.get_by_label("For the agent").fill("Stock of the days after one.")
    workbench.write(STATEMENT)
    expect(workbench.parameters).to_have_text([":since"])
    workbench.row("since").get_by_label("Test with").fill("2026-01-05")
    workbench.row("since").get_by_label("Description of since", exact=True).fill(
        "The day before the first."
    )
    workbench.run()
    page.get_by_role("treeitem", name="stock_level").click()
    workbench.logic.focus()
    page.keyboard.press("Control+Shift+Enter")
    dialog = page.locator("#publish-dialog")
    toast = page.locator("[data-toast]").filter(has_text="stock_since is live")
    expect(dialog.or_(toast)).to_be_visible()
    if dialog.is_visible():
        dialog.get_by_role("button", name="Publish").click()

    expect(toast).to_contain_text("Types that followed the logic are fixed now: since date.")
    expect(toast.get_by_role("link", name="Connect an agent")).to_be_visible()
    expect(workbench.rows.first).to_be_visible()
    expect(workbench.logic).to_be_focused()
    expect(page).to_have_url(f"{workbench.url}/tools/stock_since/")
    expect(page.locator("#history")).to_be_visible()
    assert list(read_served()) == ["stock_since"]
    assert axe.violations(page) == []
    # It goes on as the tool's own page.
    workbench.write(f"{STATEMENT} LIMIT 3")
    workbench.expect_saved()
    workbench.run()
    expect(workbench.rows).to_have_count(3)
    assert ToolDefinition.objects.get().name == "stock_since"


def test_what_a_first_publication_says_has_room_on_a_phone(
    workbench: WorkbenchPage, page: Page, draft: str
) -> None:
    page.set_viewport_size(PHONE)
    workbench.open(draft)
    workbench.write("SELECT id FROM stock_level")
    workbench.expect_saved()

    workbench.publish().get_by_role("button", name="Publish").click()

    toast = page.locator("[data-toast]").filter(has_text="stock_since is live")
    expect(toast.get_by_role("link", name="Connect an agent")).to_be_visible()
    whole, text = toast.bounding_box(), toast.locator("p").bounding_box()
    assert whole
    assert text
    assert text["width"] > whole["width"] / 2
    assert overflow_of(page) <= 0


def test_types_that_a_publication_fixes_are_fixed_on_the_page(
    workbench: WorkbenchPage, page: Page, draft: str
) -> None:
    workbench.open(draft)
    page.get_by_label("For the agent").fill("Lists stock. Use it for the days after one.")
    workbench.write(STATEMENT)
    since = workbench.row("since")
    since.get_by_label("Test with").fill("2026-01-05")
    since.get_by_label("Description of since", exact=True).fill("The day before the first.")
    since.get_by_text("More").click()
    since.get_by_label("Example").fill("2026-01-05")
    workbench.run()
    expect(since.get_by_label("Type")).to_have_value("AUTO")

    workbench.publish()

    # Nothing is left to ask, so it is published at once.
    toast = page.locator("[data-toast]").filter(has_text="stock_since is live")
    expect(toast).to_contain_text("fixed now: since date.")
    expect(since.get_by_label("Type")).to_have_value("DATE")
    assert not ToolDraft.objects.exists()


def test_focus_is_where_it_was_after_publishing(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition
) -> None:
    workbench.open(doubling)
    workbench.write("a * 3")
    workbench.expect_saved()

    workbench.publish().get_by_role("button", name="Publish").click()

    expect(page.locator("#saved")).to_contain_text("Live v2")
    expect(page.locator("#publish")).to_be_focused()


def test_tool_that_was_archived_is_brought_back_by_undo(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition
) -> None:
    workbench.open(doubling)
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("#saved")).to_contain_text("archived")

    page.get_by_role("button", name="Undo").click()

    expect(page.locator("#saved")).to_contain_text("Live")
    assert "doubling" in read_served()
    page.get_by_label("More actions").click()
    expect(page.get_by_role("button", name="Archive")).to_be_visible()
    expect(page.get_by_role("button", name="Bring back")).to_be_hidden()


def test_inactive_tool_is_activated_beside_its_state_and_taken_back(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition, axe: Axe
) -> None:
    ToolDefinition.objects.update(is_active=False)
    workbench.open(doubling)
    page.locator("#publish").click()
    expect(page.locator("#toasts")).to_contain_text("agents have it once it is activated")

    page.locator("#saved").get_by_role("button", name="Activate").click()

    expect(page.locator("#saved")).to_contain_text("Live")
    assert "doubling" in read_served()
    undo = page.get_by_role("button", name="Undo")
    # It stays for as long as axe looks.
    undo.focus()
    assert axe.violations(page) == []
    page.get_by_label("More actions").click()
    expect(page.get_by_role("button", name="Deactivate")).to_be_visible()
    undo.click()
    expect(page.locator("#saved")).to_contain_text("inactive")
    assert "doubling" not in read_served()


def test_discarding_is_asked_by_its_name(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition
) -> None:
    workbench.open(doubling)
    workbench.write("a * 3")
    workbench.expect_saved()
    page.get_by_role("button", name="Changes", exact=True).click()
    page.locator("#changes-dialog").get_by_role("button", name="Discard the draft").click()

    page.locator("#confirm-dialog").get_by_role("button", name="Discard", exact=True).click()

    expect(workbench.logic).to_have_text("a * 2")


def test_empty_editor_blames_nobody(workbench: WorkbenchPage, page: Page) -> None:
    made = open_draft(None, "admin", ToolDocument())
    workbench.open(f"/tools/~/drafts/{made.uid}/")
    expect(workbench.status).to_contain_text("Write a query.")

    expect(page.locator(".cm-lint-marker-error")).to_have_count(0)
    expect(page.locator("#agent-side")).to_contain_text("it needs a name and logic first")
    expect(page.locator("#agent-side .advice-problem, #agent-side .advice-warning")).to_have_count(
        0
    )
    expect(page.get_by_text("got ''")).to_have_count(0)


def test_call_for_a_value_goes_when_it_is_given(workbench: WorkbenchPage, page: Page) -> None:
    workbench.open(make_expression("a * 3", name="tripling", parameters=[number("a")]))
    page.get_by_role("button", name="Test run").click()
    notice = page.get_by_text("Give a test value for a.")
    expect(notice).to_be_visible()

    workbench.row("a").get_by_label("Test with").fill("4")

    expect(notice).to_be_hidden()


def test_value_with_parts_is_drawn_as_text(workbench: WorkbenchPage) -> None:
    workbench.open(make_tool("{'sum': 14, 'count': 3}", tool_type="PYTHON", name="facts"))

    workbench.run()

    shown = workbench.result.locator("#result-value")
    expect(shown).to_contain_text('"sum": 14')
    expect(shown).to_have_css("font-size", "12.5px")


def test_python_has_neither_tables_nor_a_plan(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition
) -> None:
    workbench.open(doubling)

    expect(page.locator("#explorer")).to_be_hidden()
    expect(page.get_by_role("tab", name="Plan")).to_be_hidden()
    page.get_by_role("tab", name="Agent view").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Cases")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Table")).to_be_focused()
    page.get_by_role("radio", name="SQL").check(force=True)
    expect(page.locator("#explorer")).to_be_visible()


def test_address_of_a_run_leads_back_to_the_tool(
    workbench: WorkbenchPage, page: Page, doubling: ToolDefinition
) -> None:
    page.goto(f"{workbench.url}/tools/doubling/test/")

    expect(page).to_have_url(f"{workbench.url}/tools/doubling/")


def test_script_that_failed_is_marked_at_its_line(workbench: WorkbenchPage, page: Page) -> None:
    script = "count = 1\nrate = count / given\nrate"
    workbench.open(make_tool(script, tool_type="PYTHON", name="rate", parameters=[number("given")]))
    workbench.row("given").get_by_label("Test with").fill("0")
    page.get_by_role("button", name="Test run").click()
    expect(workbench.result.get_by_role("alert")).to_contain_text("Line 2")

    expect(page.locator(".cm-lintRange-error")).to_have_text("rate = count / given")
    workbench.row("given").get_by_label("Test with").fill("2")
    workbench.run()
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)


def test_status_offers_the_fix_that_it_has(workbench: WorkbenchPage, page: Page) -> None:
    workbench.open(make_tool("SELECT id FROM stock_level", name="stock"))
    workbench.write("SELECT regoin FROM stock_level")

    workbench.status.get_by_role("button", name="Use stock_level.region").click()

    expect(workbench.status).to_contain_text("Checked by PostgreSQL")
    expect(workbench.logic).to_have_text("SELECT stock_level.region FROM stock_level")


def test_parameter_takes_the_new_name_with_all_that_was_said_of_it(
    workbench: WorkbenchPage, page: Page
) -> None:
    row = {"param_name": "region", "description": "KR or JP"}
    workbench.open(make_tool("SELECT id FROM stock_level WHERE region = :region",
                             name="stock", parameters=[row]))  # fmt: skip
    workbench.write("SELECT id FROM stock_level WHERE region = :zone")
    expect(workbench.row("zone")).to_be_visible()

    page.get_by_role("button", name="Rename region to zone").click()

    expect(workbench.parameters).to_have_text([":zone"])
    expect(page.get_by_label("Description of zone")).to_have_value("KR or JP")
    expect(workbench.status).to_contain_text("Checked by PostgreSQL")


def test_parameter_that_may_be_null_is_not_required(workbench: WorkbenchPage, page: Page) -> None:
    workbench.open(make_tool("SELECT id FROM stock_level", name="stock"))

    workbench.write(
        "SELECT id FROM stock_level WHERE (:region IS NULL OR region = :region)"
        " [[ AND day > :since ]] AND used_count > :least LIMIT :most"
    )

    expect(workbench.row("least").get_by_role("switch")).to_be_checked()
    for name in ("region", "since", "most"):
        expect(workbench.row(name).get_by_role("switch")).not_to_be_checked()
    workbench.row("least").get_by_label("Test with").fill("10")
    workbench.run()
    expect(workbench.rows).to_have_count(10)


def test_page_is_as_wide_as_a_telephone_once_every_step_is_done(
    workbench: WorkbenchPage, page: Page
) -> None:
    page.set_viewport_size(PHONE)
    workbench.open(
        make_tool("SELECT id FROM stock_level", name="stock", description_agent="Stock.")
    )

    workbench.run()

    expect(page.locator(".step.done")).to_have_count(4)
    assert overflow_of(page) <= 0
