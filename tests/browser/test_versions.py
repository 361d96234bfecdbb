"""The life of a tool beside the editor: versions, copies, the archive, tests from the list, new ones."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import PHONE, Axe, Look, each_look, overflow_of
from tests.browser.workbench_page import WorkbenchPage, read_served
from tests.factories import make_expression
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.editing.publishing import publish_tool
from toolbuilder.models import ToolDraft
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]

DOUBLE = ToolDocument(
    name="doubling",
    description_agent="Doubles one number. 숫자를 두 배로 만듭니다.",
    tool_type="PYTHON",
    definition="a * 2",
    parameters=(ParameterDocument(param_name="a", param_type="NUMBER", description="A number."),),
)


@pytest.fixture
def doubling(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool of two versions, of which the second one triples."""
    tool = publish_tool(open_draft(None, "admin", DOUBLE), "admin", note="처음").tool
    draft = open_draft(tool, "admin")
    changed = draft.document | {"definition": "a * 3"}
    draft = save_draft(draft.uid, changed, PageState(username="admin", revision=draft.revision))
    return publish_tool(draft, "admin", note="Three times").tool


def test_old_version_is_compared_and_restored(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".version-list tbody tr")).to_have_count(2)

    page.get_by_role("link", name="Changes of version 2").click()
    expect(page.locator("del")).to_have_text("a * 2")
    expect(page.locator("ins")).to_have_text("a * 3")
    page.get_by_label("Compare version 2 with").select_option("now")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**with=now**")
    page.go_back()
    page.go_back()
    page.get_by_role("button", name="Restore version 1").click()
    dialog = page.locator("#restore-dialog")
    expect(dialog).to_contain_text("becomes a new version of doubling")
    dialog.get_by_label("Why?").fill("Twice was right")
    dialog.get_by_role("button", name="Restore").click()

    expect(page.locator(".version-list tbody tr")).to_have_count(3)
    expect(page.locator(".version-list tbody tr").first).to_contain_text("Twice was right")
    assert ToolDefinition.objects.get().definition == "a * 2"


def test_tools_are_tried_copied_and_archived_from_the_list(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    make_expression(name="multiply_numbers")
    page.goto(f"{workbench.url}/tools/")

    page.get_by_role("button", name="Test doubling").click()
    drawer = page.locator("#try-drawer")
    drawer.get_by_label("a", exact=False).first.fill("5")
    page.keyboard.press("Enter")
    expect(drawer.locator("#result-value")).to_have_text("15")
    page.keyboard.press("Escape")
    page.get_by_label("Choose doubling").check()
    page.get_by_label("Choose multiply_numbers").check()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("archived", exact=True)).to_have_count(2)
    assert read_served() == {}
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("archived", exact=True)).to_have_count(0)
    assert set(read_served()) == {"doubling", "multiply_numbers"}
    page.get_by_role("button", name="Duplicate doubling").click()

    workbench.wait()
    expect(page.get_by_label("Tool name")).to_have_value("doubling_copy")
    assert ToolDraft.objects.get().document["definition"] == "a * 3"


def test_tool_is_archived_from_its_menu_and_brought_back(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)

    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("#saved")).to_contain_text("archived")
    assert read_served() == {}
    page.get_by_label("More actions").click()
    page.get_by_role("button", name="Bring back").click()

    expect(page.locator("#saved")).not_to_contain_text("archived")
    assert ToolDefinition.objects.get().archived_at is None


def test_query_that_is_there_becomes_a_tool_with_chosen_parameters(
    workbench: WorkbenchPage,
) -> None:
    page = workbench.page
    page.goto(f"{workbench.url}/tools/~/new/")

    page.get_by_label("Query", exact=True).fill(
        "SELECT id FROM stock_level WHERE region = 'KR' AND used_count > 3 LIMIT 4"
    )
    page.get_by_role("button", name="Propose parameters").click()
    statement = page.locator("#proposed-statement")
    expect(statement).to_contain_text("region = :region")
    page.get_by_label("used_count").uncheck()
    expect(statement).to_contain_text("used_count > 3")
    page.get_by_label("Name of the tool").fill("ids_of_region")
    page.get_by_role("button", name="Create the draft").click()
    workbench.wait()
    page.keyboard.press("Control+Enter")

    expect(workbench.rows).to_have_count(4)
    expect(page.get_by_label("Tool name")).to_have_value("ids_of_region")
    expect(workbench.parameters.first).to_have_text(":region")


@each_look
def test_pages_beside_the_editor_are_accessible(
    workbench: WorkbenchPage, doubling: ToolDefinition, axe: Axe, look: Look
) -> None:
    page = workbench.page
    look.apply(page, workbench.url, "ko" if look.viewport == PHONE else "en")
    for address in (
        "/tools/doubling/versions/",
        "/tools/doubling/versions/2/diff/",
        "/start/",
    ):
        page.goto(f"{workbench.url}{address}")

        assert axe.violations(page) == []
        assert overflow_of(page) <= 0
    page.goto(f"{workbench.url}/tools/~/new/")
    page.locator("#sql").fill("SELECT id FROM stock_level WHERE region = 'KR' LIMIT 4")
    page.locator("#from-sql form button.primary").click()
    expect(page.locator("#proposed-statement")).to_be_visible()

    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
