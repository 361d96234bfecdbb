"""The search lab and the glossary in a browser: asked while typing, weighed, saved, taught a word."""

import re

import pytest
from playwright.sync_api import Page, Request, expect
from pytest_django.live_server_helper import LiveServer

from catalog.models import GlossaryConcept
from core.retrieval.profiles import RRF
from tests.browser.accessibility import DESKTOP, Axe, Look, overflow_of
from tests.browser.early import hold_htmx, let_htmx_begin
from tests.factories import make_tool
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab.questions import save_question
from toolbuilder.search_lab.recording import record_measurement
from tools.models import ToolSearch


@pytest.fixture
def tools(transactional_db: None) -> None:
    """Three tools, of which one deletes."""
    make_tool(
        name="list_orders", title="주문 목록", description_agent="Lists the orders of a customer."
    )
    make_tool(
        name="find_stores", description_agent="지역별 매장을 조회합니다.", parameters=["region"]
    )
    make_tool(
        name="delete_order",
        description_agent="Deletes an order.",
        annotations={"readOnlyHint": False, "destructiveHint": True},
    )


@pytest.mark.usefixtures("tools")
def test_question_is_asked_weighed_saved_and_measured(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/search-lab/")

    page.keyboard.press("/")
    page.keyboard.type("show orders of a customer")
    expect(page.locator(".found > li").first).to_contain_text("list_orders")
    expect(page).to_have_url(re.compile(r"/search-lab/\?q=show"))
    page.get_by_label("Annotations").fill("0")
    expect(page).to_have_url(re.compile(r"annotation=0$"))
    expect(page.locator(".signal-bar .annotation")).to_have_count(0)
    page.get_by_text("rrf", exact=True).click()
    expect(page).to_have_url(re.compile(r"profile=rrf$"))
    expect(page.get_by_label("Annotations")).to_have_value(f"{RRF.annotation_weight:g}")
    page.get_by_role("button", name="Expected list_orders").click()
    expect(page.get_by_text("The question was saved.")).to_be_visible()
    page.get_by_role("link", name="Saved questions").click()
    page.get_by_role("button", name="Run all questions").click()

    expect(page.get_by_role("region", name="Rates")).to_contain_text("100 %")
    assert SearchQuestion.objects.get().expected == ["list_orders"]


@pytest.mark.usefixtures("tools")
def test_word_that_the_glossary_learns_is_found_in_the_lab(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/search-lab/?q=나루터거리")
    expect(page.get_by_text("Nothing found")).to_be_visible()

    page.get_by_role("link", name="Glossary").first.click()
    page.get_by_role("searchbox").fill("매장")
    field = page.get_by_label("Terms of store: Korean")
    expect(page.get_by_role("status").filter(has_text="1 concept")).to_be_visible()
    field.fill("매장, 店")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("two letters or more")
    field.fill("매장, 나루터거리")
    field.press("Enter")
    expect(page.get_by_text("Saved", exact=True)).to_be_attached()
    page.goto(f"{live_server.url}/search-lab/?q=나루터거리")

    expect(page.locator(".found > li").filter(has_text="find_stores")).to_be_visible()
    assert GlossaryConcept.objects.get().key == "store"


def test_search_that_is_typed_before_the_page_listens_is_made_once(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - its signature is looked at
    hold_htmx(page)
    page.goto(f"{live_server.url}/catalogue/~/glossary/")
    page.get_by_role("searchbox").fill("매장")
    let_htmx_begin(page)
    expect(page.get_by_role("status").filter(has_text="1 concept")).to_be_visible()

    # A second answer would take away what is written in the first.
    field = page.get_by_label("Terms of store: Korean")
    field.fill("매장, 店")
    field.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("two letters or more")
    assert sum("glossary/?" in request.url for request in asked) == 1


@pytest.mark.usefixtures("tools")
def test_pages_are_accessible(signed_in: Page, live_server: LiveServer, axe: Axe) -> None:
    save_question("orders of a customer", ["list_orders"], "ann")
    ToolSearch.objects.create(query="지난달 매장별 매출 합계를 알려 주세요", duration_ms=3.2)
    record_measurement()
    pages = (
        "?q=show+orders",
        "questions/",
        "moves/",
        "traffic/",
        "../catalogue/~/glossary/?q=order",
    )
    # On a phone and in English `test_every_page` looks at them.
    Look("light", DESKTOP).apply(signed_in, live_server.url, "ko")
    for path in pages:
        signed_in.goto(f"{live_server.url}/search-lab/{path}")

        assert axe.violations(signed_in) == []
        assert overflow_of(signed_in) <= 0
