"""Tools, calls, keys and the dashboard in a browser: switched, undone, created once, filtered."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from access.keys import find_key, issue_key
from access.models import ApiKey, RuntimeInstance
from tests.access.calls import make_call, make_calls
from tests.browser.accessibility import DESKTOP, PHONE, Axe, Look, overflow_of
from tests.catalog.rows import make_table
from tests.factories import make_expression, make_tool
from tools.models import QuarantinedTool, ToolDefinition
from tools.uses.refresh import refresh_uses


@pytest.fixture
def tools(transactional_db: None) -> ToolDefinition:
    """A tool on a table, one of Python, and a broken one; with calls, a key and a runtime."""
    make_table("stores", columns=("id", "region"), display_name="店舗マスタ")
    sales = make_tool(
        "-- Stores of a region\nSELECT id, region\nFROM stores\nWHERE region = :region\nLIMIT :row_limit",
        name="stores_in_region",
        title="지역 매장",
        description_agent="Stores of one region: KR, JP or US. 지역별 매장을 조회합니다.",
        parameters=["region", {"param_name": "row_limit", "param_type": "INTEGER", "default": 20,
                               "is_required": False, "description": "How many"}],
        tags=["매장", "stores"],
    )  # fmt: skip
    make_expression(name="multiply_numbers", tags=["math"])
    broken = make_tool("SELECT x FROM y", name="broken_tool")
    QuarantinedTool.objects.create(tool=broken, reason='relation "y" does not exist')
    refresh_uses()
    issue_key("claude-desktop")
    RuntimeInstance.objects.create(host="shop-1", pid=7, version="0.1.0", tool_count=2)
    key = ApiKey.objects.get()
    make_calls(30, tool_name="stores_in_region", caller="ann", key_id=key.key_id, row_count=3)
    for number in range(6):
        make_call(
            "multiply_numbers",
            seconds_ago=3600.0 * number,
            outcome="tool_error" if number else "timeout",
            error="division by zero: b must not be 0",
            arguments={"a": 1, "b": 0},
            duration_ms=1234.5,
        )
    return sales


def is_active(tool: ToolDefinition) -> bool:
    return bool(ToolDefinition.objects.get(pk=tool.pk).is_active)


@pytest.mark.own_context
def test_switch_by_keyboard_is_undone_from_the_toast(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    page.clock.install()
    page.goto(f"{live_server.url}/tools/")
    switch = page.get_by_role("switch", name="stores_in_region is active")

    switch.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("status").filter(has_text="is not served any more")).to_be_visible()
    expect(page.locator(f"#state-{tools.pk}")).to_have_text("inactive")
    expect(switch).to_be_focused()
    expect(switch).not_to_be_checked()
    assert not is_active(tools)
    undo = page.get_by_role("button", name="Undo")
    undo.focus()
    page.clock.fast_forward(60_000)
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_text("1 tool was activated.")).to_be_visible()
    expect(page.get_by_text("is not served any more")).to_have_count(0)
    expect(switch).to_be_checked()
    assert is_active(tools)
    page.clock.fast_forward(60_000)
    expect(page.get_by_text("1 tool was activated.")).to_have_count(0)


def test_chosen_tools_are_deactivated_together(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")
    expect(page.get_by_role("button", name="Deactivate")).to_be_hidden()

    page.get_by_label("Choose stores_in_region").check()
    expect(page.get_by_text("1 tool chosen")).to_be_visible()
    page.get_by_label("Choose multiply_numbers").check()
    expect(page.get_by_text("2 tools chosen")).to_be_visible()
    page.get_by_role("button", name="Deactivate").click()

    expect(page.get_by_text("2 tools were deactivated.")).to_be_visible()
    expect(page.get_by_text("inactive", exact=True)).to_have_count(2)
    assert ToolDefinition.objects.filter(is_active=True).count() == 1


def test_all_tools_of_the_page_are_chosen_by_one_box(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")
    every = page.get_by_label("Choose all tools of this page")

    every.check()
    expect(page.get_by_text("15 tools chosen")).to_be_visible()
    page.get_by_label("Choose stores_in_region").uncheck()

    expect(page.get_by_text("14 tools chosen")).to_be_visible()
    assert every.evaluate("box => box.indeterminate")


def test_all_that_match_are_tagged_and_the_tag_is_taken_back(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    for number in range(60):
        make_tool(name=f"bulk_{number:02}")
    page.goto(f"{live_server.url}/tools/?q=bulk_")

    page.get_by_label("Choose all tools of this page").check()
    page.get_by_label("All 60 that match").check()
    expect(page.get_by_text("60 tools chosen")).to_be_visible()
    page.get_by_label("Tag of the chosen tools").fill("spring")
    page.get_by_role("button", name="Tag", exact=True).click()

    expect(page.get_by_text("60 tools have the tag now.")).to_be_visible()
    expect(page.locator("#tools .tag", has_text="spring")).to_have_count(50)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("60 tools lost the tag.")).to_be_visible()
    assert not ToolDefinition.objects.filter(tags__contains=["spring"]).exists()


def test_list_is_as_wide_as_the_window(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    for width in (1280, 1024, 900, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{live_server.url}/tools/")

        wider = "[...document.querySelectorAll('.table-scroll')].map((area) => area.scrollWidth - area.clientWidth)"
        assert max(page.evaluate(wider)) <= 0, width
        assert overflow_of(page) <= 0, width


def test_found_words_are_marked_in_the_colours_of_the_theme(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    page.context.add_cookies([{"name": "theme", "value": "dark", "url": live_server.url}])

    page.goto(f"{live_server.url}/tools/?q=stores")

    expect(page.locator("mark").first).to_have_css("background-color", "rgb(27, 43, 77)")


def test_search_while_typing_leads_to_a_tool_and_back(
    signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")

    page.keyboard.press("/")
    page.keyboard.type("店舗マスタ")
    expect(page.locator("#result-count")).to_have_text("1 tool")
    page.get_by_role("link", name="stores_in_region").click()
    expect(page.locator(".cm-content")).to_contain_text("WHERE region = :region")
    page.go_back()

    expect(page.get_by_role("searchbox")).to_have_value("店舗マスタ")
    expect(page).to_have_url(re.compile(r"/tools/\?q="))


def test_search_that_nobody_answers_keeps_its_words(
    signed_in: Page, live_server: LiveServer, tools: object, console_errors: list[str]
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")
    page.route("**/tools/?*", lambda route: route.abort())

    page.get_by_role("searchbox").fill("stores")

    expect(page.locator(".toast.error")).to_contain_text("What you entered is still here")
    expect(page.get_by_role("searchbox")).to_have_value("stores")
    console_errors.remove("Failed to load resource: net::ERR_FAILED")


def test_new_key_is_shown_once(signed_in: Page, live_server: LiveServer, tools: object) -> None:
    page = signed_in
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{live_server.url}/keys/")

    page.get_by_role("link", name="New key").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("cursor")
    page.get_by_label("Claims", exact=True).fill("{")
    page.get_by_role("button", name="Create the key").click()
    expect(page.get_by_text("Enter a valid JSON.")).to_be_visible()
    page.get_by_label("Claims", exact=True).fill('{"tenant": "KR"}')
    page.get_by_role("button", name="Create the key").click()
    token = page.locator("#new-token").inner_text()
    copy = page.locator("[data-copy='new-token']")
    label = copy.inner_text()
    copy.dblclick()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    expect(copy).to_have_text(label)
    copied = page.evaluate("navigator.clipboard.readText()")
    page.locator("summary", has_text="Cursor").click()
    expect(page.locator("#connection-cursor")).to_contain_text(token)
    page.goto(f"{live_server.url}/keys/")

    key = find_key(token)
    assert copied == token
    assert key is not None
    assert key.claims == {"tenant": "KR"}
    expect(page.locator(".key-list").get_by_text(key.key_id)).to_be_visible()
    assert token not in page.content()


def test_key_is_revoked_after_a_question(
    signed_in: Page, live_server: LiveServer, tools: object
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/keys/")

    page.get_by_role("button", name="Revoke claude-desktop").click()
    page.get_by_role("button", name="Continue").click()

    row = page.get_by_role("row").filter(has_text="claude-desktop")
    expect(row.get_by_text("Revoked", exact=True)).to_be_visible()
    assert ApiKey.objects.get().revoked_at is not None


def test_calls_are_filtered_and_one_is_opened(
    signed_in: Page, live_server: LiveServer, tools: object
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/calls/")

    page.get_by_label("Outcome").select_option("failed")
    expect(page.locator(".call-list tbody tr")).to_have_count(6)
    page.get_by_label("Tool", exact=True).fill("stores_in_region")
    expect(page.get_by_role("heading", name="No call matches")).to_be_visible()
    page.get_by_label("Tool", exact=True).fill("multiply_numbers")
    expect(page).to_have_url(f"{live_server.url}/calls/?tool=multiply_numbers&outcome=failed")
    page.locator(".time-cell a").first.press("Enter")

    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text('"b": 0')
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert "outcome=failed" in download.value.url


@pytest.mark.usefixtures("tools")
def test_pages_are_accessible(signed_in: Page, live_server: LiveServer, axe: Axe) -> None:
    # On a phone and in English `test_every_page` looks at them.
    Look("light", DESKTOP).apply(signed_in, live_server.url, "ko")
    for address in ("/", "/tools/", "/tools/stores_in_region/", "/calls/", "/keys/"):
        signed_in.goto(f"{live_server.url}{address}")

        assert axe.violations(signed_in) == []
        assert overflow_of(signed_in) <= 0


@pytest.mark.parametrize(
    "look", [Look("light", PHONE), Look("dark", DESKTOP)], ids=["light phone", "dark desktop"]
)
@pytest.mark.usefixtures("tools")
def test_dialogs_are_accessible(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    page = signed_in
    look.apply(page, live_server.url)
    page.goto(f"{live_server.url}/calls/")
    page.locator(".time-cell a").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert axe.violations(page) == []

    page.goto(f"{live_server.url}/keys/")
    page.get_by_role("link", name="New key").click()
    assert axe.violations(page) == []
    page.get_by_label("Name", exact=True).fill("cursor")
    page.get_by_role("button", name="Create the key").click()
    expect(page.locator("#new-token")).to_be_visible()

    assert axe.violations(page) == []
    assert overflow_of(page) <= 0


def test_tools_are_switched_and_keys_made_without_javascript(
    browser: Browser, signed_in: Page, live_server: LiveServer, tools: ToolDefinition
) -> None:
    plain = browser.new_context(java_script_enabled=False, locale="en-US")
    plain.add_cookies(signed_in.context.cookies())  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{live_server.url}/tools/?q=stores_in_region")

    form = page.locator(f"#switch-{tools.pk}")
    form.get_by_role("switch").uncheck()
    form.get_by_role("button", name="Save").click()
    page.goto(f"{live_server.url}/keys/new/")
    page.get_by_label("Name", exact=True).fill("plain")
    page.get_by_role("button", name="Create the key").click()

    expect(page.locator("#new-token")).to_be_visible()
    assert not is_active(tools)
    plain.close()
