"""The editor: what is written, found, mended and tried in it, and how it looks."""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, Route, expect

from config.services.postgres import EmbeddedPostgres
from tests.browser.accessibility import PHONE, Axe, Look, each_look, overflow_of
from tests.browser.editor.page import OPTION
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_expression, make_tool, number
from tests.waiting import wait_until
from toolbuilder.models import ToolDraft
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]

HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_QUERY = """SELECT '<img src=x onerror=alert(1)>' AS "<img src=x onerror=alert(1)>" """
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 7 + 1 FROM n) SELECT max(i) FROM n"
RUNNING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    " AND query LIKE '%i % 7 + 1 FROM n%'"
)


@pytest.fixture
def stock(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool on the table, with two described parameters."""
    return make_tool(
        "SELECT id, region FROM stock_level\nWHERE region = :region\nLIMIT :most",
        name="stock",
        title="재고",
        description_agent="Stock of one region. 지역별 재고를 조회합니다.",
        parameters=[
            {"param_name": "region", "description": "KR or JP", "example": "KR"},
            {"param_name": "most", "param_type": "INTEGER", "description": "Rows at most",
             "default": 5, "is_required": False},
        ],
    )  # fmt: skip


def test_second_visit_loads_no_static_file(workbench: WorkbenchPage, stock: ToolDefinition) -> None:
    workbench.open(stock)
    expect(workbench.page.get_by_role("treeitem", name="stock_level")).to_be_visible()
    # Another tab, whose memory is empty.
    page = workbench.page.context.new_page()
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    cached: set[str] = set()
    answers: dict[str, dict[str, Any]] = {}
    network.on("Network.requestServedFromCache", lambda said: cached.add(said["requestId"]))
    network.on(
        "Network.responseReceived",
        lambda said: answers.update({said["requestId"]: said["response"]}),
    )

    WorkbenchPage(page, workbench.url).open(stock)
    expect(page.get_by_role("treeitem", name="stock_level")).to_be_visible()

    files = {key: each for key, each in answers.items() if "/static/" in each["url"]}
    loaded = {key for key, each in files.items() if not each["fromDiskCache"]} - cached
    assert len(files) > 8
    assert [files[key]["url"] for key in loaded] == []


def test_misspelt_column_is_marked_and_mended_by_keyboard(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(stock)

    workbench.write("SELECT id, regoin FROM stock_level WHERE region = :region LIMIT :most")
    mark = page.locator(".cm-lintRange-error")
    expect(mark).to_have_text("regoin")
    expect(workbench.status).to_contain_text("Line 1, column 12")
    expect(workbench.logic).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("F8")
    expect(page.locator(".cm-diagnosticAction")).to_have_text(["Use stock_level.region", "Explain"])
    page.keyboard.press("Control+.")

    expect(workbench.logic).to_contain_text("SELECT id, stock_level.region FROM")
    expect(workbench.status).to_contain_text("Checked by PostgreSQL")
    expect(mark).to_have_count(0)


def test_names_come_from_completion_and_from_the_tables(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(stock)
    table = page.get_by_role("treeitem", name="stock_level")
    expect(table).to_be_visible()

    workbench.write("SELECT  FROM stock_level s")
    for _ in range(len(" FROM stock_level s")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("s.us")
    first = page.locator(OPTION).first
    expect(first).to_contain_text("used_count")
    first.click()
    page.keyboard.type(", s.region FROM ")
    table.focus()
    page.keyboard.press("Enter")

    expect(workbench.logic).to_be_focused()
    expect(workbench.logic).to_contain_text("SELECT s.used_count, s.region FROM stock_level")
    expect(page.locator("#explorer [role=status]").first).to_contain_text(re.compile("stock_level"))


def test_rows_of_parameters_follow_the_logic_and_keep_what_is_said(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(stock)
    most = workbench.row("most")
    most.locator("summary").click()
    most.get_by_label("Maximum").fill("50")
    workbench.expect_saved()

    workbench.write("SELECT id FROM stock_level WHERE region = :regions LIMIT :most")
    expect(workbench.parameters).to_have_text([":regions", ":most"])
    expect(workbench.status).to_contain_text("Checked by PostgreSQL")
    expect(page.get_by_label("Description of regions")).to_have_value("KR or JP")
    expect(most.get_by_label("Maximum")).to_be_visible()
    most.locator("[data-grip]").press("ArrowUp")
    expect(workbench.parameters).to_have_text([":most", ":regions"])
    expect(page.locator("#announcement")).to_have_text("most is now number 1 of 2.")
    expect(most.locator("[data-grip]")).to_be_focused()
    workbench.expect_saved()

    drafted = ToolDraft.objects.get().document["parameters"]
    assert [one["param_name"] for one in drafted] == ["most", "regions"]
    assert (drafted[0]["maximum"], drafted[1]["description"]) == ("50", "KR or JP")


def test_absent_null_and_empty_values_are_different_arguments(
    workbench: WorkbenchPage,
) -> None:
    page = workbench.page
    tool = make_tool(
        "SELECT coalesce(:word, 'null') || '.' AS said",
        parameters=[{"param_name": "word", "is_required": False, "default": "left out",
                     "nullable": True, "description": "A word"}],
    )  # fmt: skip
    workbench.open(tool)
    row = workbench.row("word")
    answer = workbench.rows.get_by_role("gridcell")

    workbench.run()
    expect(answer).to_have_text("left out.")
    for state, said in (("null", "null."), ("empty", ".")):
        row.get_by_label("Kind of test value").select_option(state)
        workbench.expect_saved()
        page.keyboard.press("Control+Enter")
        expect(answer).to_have_text(said)


def test_parameters_are_marked_as_soon_as_the_page_is_there(workbench: WorkbenchPage) -> None:
    parameters = [number("price"), number("discount")]
    tool = make_expression("price - discount * max(price, 1)", parameters=parameters)

    workbench.open(tool)

    marked = workbench.page.locator(".cm-parameter")
    expect(marked).to_have_text(["price", "discount", "price"])


def test_each_language_keeps_its_text(workbench: WorkbenchPage, stock: ToolDefinition) -> None:
    page = workbench.page
    workbench.open(stock)

    page.get_by_role("radio", name="Python").check(force=True)
    expect(workbench.logic).to_have_text("")
    workbench.write("price - discount")
    expect(workbench.parameters.last).to_have_text("discount")
    page.get_by_role("radio", name="SQL").check(force=True)
    expect(workbench.logic).to_contain_text("WHERE region = :region")
    page.get_by_role("radio", name="Python").check(force=True)

    expect(workbench.logic).to_have_text("price - discount")


def test_what_is_typed_before_the_page_hears_it_is_saved(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/bundles/editor.js*", hold)
    page.goto(f"{workbench.url}/tools/{stock.name}/", wait_until="commit")
    page.get_by_label("For the agent", exact=True).fill("Typed too soon")
    while not held:
        page.wait_for_timeout(20)

    held[0].continue_()

    expect(page.locator("#saved")).to_contain_text("Draft")
    workbench.expect_saved()
    assert ToolDraft.objects.get().document["description_agent"] == "Typed too soon"


def test_typing_while_an_answer_is_late_loses_nothing(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(stock)
    held: list[Route] = []
    page.route("**/analyse/", lambda one: one.continue_() if held else held.append(one))
    name = page.get_by_label("Tool name")

    with page.expect_request("**/analyse/"):
        page.get_by_label("For the agent").fill("First words")
    page.get_by_label("For the agent").fill("Second words")
    workbench.row("region").get_by_label("Description of region", exact=True).press("End")
    page.keyboard.type("!")
    workbench.write("SELECT id FROM stock_level WHERE region = :region LIMIT :most + 1")
    name.focus()
    page.keyboard.press("End")
    page.keyboard.type("_of")
    held[0].continue_()
    page.keyboard.type("_region")
    workbench.expect_saved()

    document = ToolDraft.objects.get().document
    assert document["name"] == "stock_of_region"
    assert document["description_agent"] == "Second words"
    assert document["parameters"][0]["description"] == "KR or JP!"
    assert document["definition"].endswith("LIMIT :most + 1")
    expect(name).to_be_focused()


def test_result_is_walked_by_arrows_and_shows_what_the_agent_gets(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(stock)
    region = workbench.row("region").get_by_label("Test with")
    region.fill("KR")
    workbench.run()
    expect(workbench.rows).to_have_count(5)

    page.get_by_role("tab", name="Table").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#result-json")).to_contain_text('[2,"KR"]')
    page.keyboard.press("ArrowRight")
    expect(page.locator("#agent-call")).to_contain_text('"region": "KR"')
    expect(page.locator(".agent-text")).to_contain_text("KR")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#plan-text")).to_contain_text("stock_level")
    page.keyboard.press("Home")
    expect(page.get_by_role("tab", name="Table")).to_be_focused()
    with page.expect_download() as download:
        workbench.result.get_by_label("Download").click()
        page.get_by_role("button", name="Download as CSV").click()
    region.fill("JP")
    workbench.run()
    expect(workbench.rows.first).to_contain_text("JP")
    page.get_by_label("Last runs").click()
    page.get_by_role("button", name="KR").click()

    expect(workbench.rows.first).to_contain_text("KR")
    expect(region).to_have_value("KR")
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    file = (download.value.suggested_filename, lines[0], len(lines))
    assert file == ("stock.csv", "id,region", 6)


def test_endless_query_is_cancelled_on_the_database(
    workbench: WorkbenchPage, embedded_postgres: EmbeddedPostgres
) -> None:
    page = workbench.page
    workbench.open(make_tool(ENDLESS, timeout_ms=600_000))

    page.get_by_role("button", name="Test run").click()
    stop = page.get_by_role("button", name="Cancel")
    expect(stop).to_be_visible()
    wait_for_running(1, embedded_postgres)
    stop.click()

    expect(stop).to_be_hidden()
    expect(workbench.result.get_by_role("alert")).to_contain_text("the run was stopped")
    wait_for_running(0, embedded_postgres)


def wait_for_running(wanted: int, server: EmbeddedPostgres) -> None:
    """Wait until the database runs so many endless queries."""
    with psycopg.connect(server.dsn(role="superuser"), autocommit=True) as watcher:
        wait_until(lambda: watcher.execute(RUNNING).fetchone() == (wanted,))


def test_hostile_texts_are_shown_as_texts(workbench: WorkbenchPage, stock: ToolDefinition) -> None:
    page = workbench.page
    workbench.open(make_tool(HOSTILE_QUERY, name="odd", title=HOSTILE, description_agent=HOSTILE))

    workbench.run()

    expect(workbench.result.get_by_role("columnheader").last).to_contain_text(HOSTILE)
    expect(workbench.rows.get_by_role("gridcell")).to_have_text(HOSTILE)
    expect(workbench.status).to_contain_text(HOSTILE)
    expect(page.locator("#explorer-tables")).to_contain_text(HOSTILE)
    for tab in ("JSON", "Agent view"):
        expect(workbench.show(tab)).to_contain_text(HOSTILE)
    assert page.locator("img[src=x]").count() == 0


def test_data_source_that_does_not_answer_is_said_and_the_rest_goes_on(
    workbench: WorkbenchPage, stock: ToolDefinition, settings: object
) -> None:
    page = workbench.page
    settings.POSTGRESQL_DB_PORT = 1  # type: ignore[attr-defined]
    workbench.open(stock)

    expect(workbench.status).to_contain_text("the data source cannot be reached")
    workbench.write("SELECT 2 AS two WHERE :region = 'KR'")
    page.get_by_label("For the agent").fill("Two.")
    workbench.expect_saved()
    page.get_by_role("button", name="Test run").click()

    expect(workbench.result.get_by_role("alert")).to_be_visible()
    assert ToolDraft.objects.get().document["description_agent"] == "Two."


@each_look
def test_editor_is_accessible(
    workbench: WorkbenchPage, stock: ToolDefinition, axe: Axe, look: Look
) -> None:
    page = workbench.page
    look.apply(page, workbench.url, "ko" if look.viewport == PHONE else "en")
    workbench.open(stock)
    workbench.row("region").locator("summary").click()
    workbench.row("region").locator("textarea[id$=-test]").fill("KR")
    page.locator("#run").click()
    expect(workbench.rows).to_have_count(5)
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0

    workbench.write("SELECT regoin FROM stock_level WHERE region = :region LIMIT :most")
    expect(page.locator(".cm-lintRange-error")).to_be_visible()
    page.locator("#run").click()
    expect(workbench.result.get_by_role("alert")).to_be_visible()

    assert axe.violations(page) == []
    assert overflow_of(page) <= 0


def test_tool_is_edited_tried_and_published_without_javascript(
    browser: Browser, workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    plain = browser.new_context(java_script_enabled=False, locale="en-US")
    plain.add_cookies(workbench.page.context.cookies())  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{workbench.url}/tools/stock/")

    page.locator("#definition").fill("SELECT regoin FROM stock_level")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#status")).to_contain_text("Line 1, column 8")
    page.locator("#definition").fill(
        "SELECT id FROM stock_level WHERE region = :region LIMIT :most"
    )
    page.locator("[name=region-test]").fill("KR")
    page.get_by_role("button", name="Test run").click()
    expect(page.locator("#result tbody tr")).to_have_count(5)
    page.get_by_role("button", name="Publish").click()

    expect(page).to_have_url(f"{workbench.url}/tools/stock/")
    assert "SELECT id FROM" in ToolDefinition.objects.get(name="stock").definition
    plain.close()
