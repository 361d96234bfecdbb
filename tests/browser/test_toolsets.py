"""Toolsets and keys in a browser: composed and granted by ticking, and an agent sees exactly that."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from access.keys import issue_key
from access.models import ApiKey
from access.toolsets.models import read_toolsets
from mcp_runtime.server import Runtime
from tests.browser.accessibility import Axe, Look, each_look, overflow_of
from tests.browser.early import hold_htmx, let_htmx_begin
from tests.factories import make_expression, make_toolset
from tests.mcp_runtime.conftest import Served, listening
from toolbuilder.search_lab.index import shared_keeper


@pytest.fixture(autouse=True)
def _tools(transactional_db: None) -> None:
    """Three tools of a shop; no other test's index of them."""
    shared_keeper.cache_clear()
    make_expression(name="sales_by_region", description_agent="Sales of a region. 지역별 매출")
    make_expression(name="sales_of_stores", description_agent="Sales of stores.", tags=["sales"])
    make_expression(name="find_members", description_agent="Finds members by name.")


def listed_to(token: str, toolset: str) -> set[str]:
    """What a client with the token is listed at the toolset's address, by a runtime over HTTP."""

    async def ask() -> set[str]:
        runtime = Runtime()
        async with (
            listening(runtime) as url,
            Served(runtime, url, token).client(toolset=toolset) as client,
        ):
            return {tool.name for tool in await client.list_tools()}

    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, ask()).result()


def test_agent_sees_exactly_what_was_ticked(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/toolsets/")
    page.get_by_role("link", name="New toolset").first.click()
    page.get_by_label("Title").fill("Sales Korea")
    page.get_by_label("Name", exact=True).fill("sales-kr")
    page.get_by_role("button", name="Create the toolset").click()

    held: list[Route] = []
    page.route("**/tools/", lambda route: held.append(route), times=1)  # noqa: PLW0108 - its signature is looked at
    for name in ("sales_by_region", "sales_of_stores", "find_members"):
        page.get_by_label(f"{name} is in the toolset").check()
    # However late the first is answered, what is told last is what was ticked last.
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    expect(page.locator("#count-chosen")).to_have_text("3")
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_label("find_members is in the toolset")).not_to_be_checked()
    expect(page.locator("#toolset-cost")).to_contain_text("2 tools")
    expect(page.locator("#quality")).to_contain_text("2 of 2")

    page.get_by_role("link", name="New key for this toolset").click()
    page.get_by_label("Name", exact=True).fill("sales-agent")
    page.get_by_role("searchbox", name="Search tools").fill("members")
    expect(page.locator(".tick-line")).to_have_count(1)
    page.get_by_role("checkbox", name="find_members").check()
    page.get_by_role("searchbox", name="Search tools").fill("region")
    expect(page.locator(".tick-line")).to_have_count(2)
    page.get_by_role("button", name="Create the key").click()
    token = page.locator("#new-token").inner_text()

    key = ApiKey.objects.get()
    assert (key.toolsets, key.allowed_tools) == (["sales-kr"], ["find_members"])
    assert listed_to(token, "sales-kr") == {"sales_by_region", "sales_of_stores"}
    assert listed_to(token, "") == {"sales_by_region", "sales_of_stores", "find_members"}


def test_tick_that_is_set_before_the_page_listens_counts(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    make_toolset("sales-kr")
    hold_htmx(page)
    page.goto(f"{live_server.url}/toolsets/sales-kr/")
    page.get_by_label("sales_by_region is in the toolset").check()
    page.get_by_label("find_members is in the toolset").check()

    let_htmx_begin(page)

    expect(page.locator("#count-chosen")).to_have_text("2")
    assert read_toolsets()["sales-kr"].tools == {"sales_by_region", "find_members"}


def test_tick_that_is_not_saved_goes_back_at_once(
    signed_in: Page, live_server: LiveServer, console_errors: list[str]
) -> None:
    page = signed_in
    make_toolset("sales-kr")
    page.goto(f"{live_server.url}/toolsets/sales-kr/")
    box = page.get_by_label("find_members is in the toolset")

    page.route("**/tools/", lambda route: route.fulfill(status=403))
    box.click()
    expect(page.locator(".toast.error")).to_have_count(1)
    expect(box).not_to_be_checked()

    page.unroute("**/tools/")
    box.click()
    expect(page.locator("#count-chosen")).to_have_text("1")
    page.route("**/tools/", lambda route: route.abort())
    box.click()
    expect(page.locator(".toast.error").last).to_contain_text("this shows what was saved before")
    expect(box).to_be_checked()
    console_errors.remove("Failed to load resource: net::ERR_FAILED")


def test_tick_of_which_nobody_heard_is_not_shown_when_the_page_comes_back(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    make_toolset("sales-kr")
    page.goto(f"{live_server.url}/toolsets/sales-kr/")
    box = page.get_by_label("find_members is in the toolset")
    page.route("**/tools/", lambda route: route.fulfill(status=204))
    with page.expect_response("**/tools/"):
        box.check()

    page.goto(f"{live_server.url}/toolsets/")
    page.go_back()

    expect(box).not_to_be_checked()


def test_search_that_is_typed_before_the_page_listens_is_made(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.add_init_script(
        """new MutationObserver((_changes, observer) => {
            const field = document.querySelector("input[name=find]");
            if (field) {
                field.value = "members";
                observer.disconnect();
            }
        }).observe(document, { childList: true, subtree: true })"""
    )
    page.goto(f"{live_server.url}/keys/new/")

    expect(page.locator(".tick-line")).to_have_count(1)


def test_key_is_changed_and_says_what_it_sees_and_why(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    make_toolset("sales-kr", tags=["sales"])
    issue_key("agent")
    page.goto(f"{live_server.url}/keys/")

    page.get_by_role("link", name="agent", exact=True).click()
    page.get_by_text("These tools").click()
    page.get_by_role("checkbox", name="sales-kr").check()
    page.get_by_label("Allowed networks").fill("10.0.0.0/8\n10.0.0.999")
    page.get_by_role("button", name="Save the key").click()
    expect(page.get_by_text("10.0.0.999 is no address")).to_be_visible()
    page.get_by_label("Allowed networks").fill("10.0.0.0/8")
    page.get_by_role("button", name="Save the key").click()
    page.get_by_role("link", name="What agent sees").click()

    row = page.get_by_role("row").filter(has_text="sales_of_stores")
    expect(row).to_contain_text("the toolset sales-kr")
    page.get_by_role("link", name="Does not see").click()
    expect(page.get_by_role("row").filter(has_text="find_members")).to_be_visible()
    expect(row).to_have_count(0)


def test_toolset_is_composed_without_javascript(
    browser: Browser, signed_in: Page, live_server: LiveServer
) -> None:
    make_toolset("sales-kr")
    plain = browser.new_context(java_script_enabled=False, locale="en-US")
    plain.add_cookies(signed_in.context.cookies())  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{live_server.url}/toolsets/sales-kr/?q=region")

    page.get_by_label("sales_by_region is in the toolset").check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="How well its tools are found").click()

    expect(page.get_by_role("heading", name="Search quality")).to_be_visible()
    assert read_toolsets()["sales-kr"].tools == {"sales_by_region"}
    plain.close()


@each_look
def test_pages_are_accessible(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    make_toolset("sales-kr", "sales_by_region", "gone", tags=["sales"])
    key = issue_key("agent").key
    ApiKey.objects.filter(pk=key.pk).update(toolsets=["sales-kr"], allowed_tools=[])
    look.apply(signed_in, live_server.url)
    addresses = [
        *("/toolsets/", "/toolsets/~/new/", "/toolsets/sales-kr/", "/toolsets/sales-kr/quality/"),
        *(f"/keys/{key.pk}/", f"/keys/{key.pk}/sees/", "/keys/new/?toolset=sales-kr", "/keys/"),
    ]
    for address in addresses:
        signed_in.goto(f"{live_server.url}{address}")
        expect(signed_in.locator(".htmx-request")).to_have_count(0)

        assert axe.violations(signed_in) == []
        assert overflow_of(signed_in) <= 0
