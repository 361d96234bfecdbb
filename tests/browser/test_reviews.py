"""A change from the editor of its author to the page of the person who publishes it."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from access.models import CallRecord, Outcome, RoleGrant
from tests.browser.accessibility import Axe, Look, each_look, overflow_of
from tests.browser.test_publishing import sign_in
from tests.browser.workbench_page import WorkbenchPage
from tests.factories import make_tool, make_toolset, number
from tests.toolbuilder.reviews.rows import ask
from toolbuilder.models import ReviewState, ToolReview, ToolVersion
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]
SQL = "SELECT id, region\nFROM stock_level\nWHERE id <= :top\nORDER BY id"
CHANGED = SQL.replace("WHERE", "WHERE region = 'KR'\n  AND")


@pytest.fixture
def stock(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool of the toolset `kr`, whose changes are reviewed, and its calls."""
    make_toolset("kr", "stock", review="other")
    for top in (2, 3, 0):
        CallRecord.objects.create(
            tool_name="stock",
            caller="sales-agent",
            arguments={"top": top},
            outcome=Outcome.OK,
            duration_ms=3,
            at=timezone.now(),
        )
    return make_tool(
        SQL,
        name="stock",
        title="Stock",
        description_agent="Stock of a few days. Use it when stock has to be counted exactly.",
        annotations={"readOnlyHint": True},
        parameters=[number("top", description="How many days.", example=3)],
    )


def sign_in_as_reviewer(page: Page, url: str) -> None:
    """Go on as somebody who has the role and wrote nothing."""
    kim = User.objects.create_user("kim")
    RoleGrant.objects.create(user=kim, role="reviewer")
    sign_in(page.context, url, kim)


def ask_in_editor(workbench: WorkbenchPage, stock: ToolDefinition, logic: str) -> None:
    """Write the logic and ask for a review of it, as its author."""
    page = workbench.page
    workbench.open(stock)
    workbench.write(logic)
    workbench.expect_saved()
    page.locator("#publish").click()
    dialog = page.locator("#publish-dialog")
    expect(dialog).to_contain_text("Changes of tools in kr are approved by another person.")
    dialog.get_by_label("What changed, and why?").fill("Only Korea.")
    dialog.get_by_role("button", name="Ask for review").click()
    expect(page.get_by_text("Somebody else approves this.")).to_be_visible()


def test_change_is_replayed_and_discussed_on_its_page(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    ask_in_editor(workbench, stock, CHANGED)

    sign_in_as_reviewer(page, workbench.url)
    page.goto(f"{workbench.url}/reviews/")
    page.get_by_role("link", name="stock").click()
    replay = page.locator("#replay")
    replay.get_by_role("button", name="Replay").click()
    expect(replay.locator(".replay-counts")).to_contain_text("2 differ")
    expect(replay.locator(".replay-counts")).to_contain_text("1 same")
    expect(replay.locator("del").first).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("[data-change]").first).to_be_focused()
    page.get_by_title("Comment on line 3").click()
    page.keyboard.type("Why not Japan?")
    page.get_by_role("button", name="Comment", exact=True).click()

    expect(page.locator(".thread")).to_contain_text("on line 3")
    page.keyboard.press("c")
    expect(page.locator("#comment-text")).to_be_focused()


def test_change_that_was_sent_back_is_published_by_the_other_person(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page, author = workbench.page, User.objects.get(username="admin")
    ask_in_editor(workbench, stock, CHANGED)
    sign_in_as_reviewer(page, workbench.url)
    address = f"{workbench.url}/reviews/{ToolReview.objects.get().pk}/"
    page.goto(address)
    page.locator("#comment-text").fill("Take Japan, too.")
    page.get_by_role("button", name="Send back").click()
    expect(page.locator("[data-toast]").last).to_contain_text("Sent back to admin.")

    sign_in(page.context, workbench.url, author)
    workbench.open(stock)
    expect(page.get_by_text("kim sent it back: Take Japan, too.")).to_be_visible()
    ask_in_editor(workbench, stock, CHANGED.replace("= 'KR'", "IN ('KR', 'JP')"))
    sign_in(page.context, workbench.url, User.objects.get(username="kim"))
    page.goto(address)
    page.get_by_role("button", name="Approve and publish").click()

    expect(page.locator("[data-toast]").last).to_contain_text("stock is published")
    assert "'JP'" in ToolDefinition.objects.get().definition
    assert ToolVersion.objects.latest("number").reviewed_by == "kim"
    assert ToolReview.objects.get().state == ReviewState.PUBLISHED


def test_call_that_fails_now_is_found_before_it_is_published(
    workbench: WorkbenchPage, stock: ToolDefinition
) -> None:
    page = workbench.page
    review = ask(stock, definition=SQL.replace("id <= :top", "id <= 20 / :top"))
    sign_in_as_reviewer(page, workbench.url)
    page.goto(f"{workbench.url}/reviews/{review.pk}/")

    page.locator("#replay").get_by_role("button", name="Replay").click()
    expect(page.locator(".replay-counts")).to_contain_text("1 fails now")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("alert")).to_contain_text("One recorded call fails with this change")
    page.locator("#comment-text").fill("Nobody asks for none.")
    page.get_by_role("button", name="Approve and publish").click()

    expect(page.locator("[data-toast]").last).to_contain_text("stock is published")
    assert ToolVersion.objects.latest("number").note == "Nobody asks for none."


@each_look
def test_pages_of_a_review_are_accessible(
    workbench: WorkbenchPage, stock: ToolDefinition, axe: Axe, look: Look
) -> None:
    page = workbench.page
    review = ask(stock, definition=CHANGED, note="한국만")
    sign_in_as_reviewer(page, workbench.url)
    look.apply(page, workbench.url)
    page.goto(f"{workbench.url}/reviews/{review.pk}/")
    page.locator("#replay").get_by_role("button", name="Replay").click()
    expect(page.locator(".replay-counts")).to_contain_text("2 differ")

    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.goto(f"{workbench.url}/reviews/")
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
