"""Publishing from the editor, and what happens when two people or two windows edit at once."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from tests.browser.accessibility import PHONE, Axe, Look, each_look, overflow_of
from tests.browser.workbench_page import WorkbenchPage, read_served
from tests.factories import make_expression, number
from tests.waiting import wait_until
from toolbuilder.models import ToolDraft, ToolVersion
from toolbuilder.search_lab.questions import save_question
from tools.models import ToolDefinition

pytest_plugins = ["tests.browser.workbench_fixtures"]


@pytest.fixture
def doubling(workbench: WorkbenchPage) -> ToolDefinition:
    """A tool that doubles a number."""
    return make_expression(
        "a * 2",
        name="doubling",
        title="Double",
        description_agent="Doubles one number. Use it when a number has to be doubled exactly.",
        annotations={"readOnlyHint": True},
        parameters=[number("a", description="The number to double.", example=21)],
    )


def sign_in(context: BrowserContext, url: str, user: User) -> None:
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


def second_window(workbench: WorkbenchPage) -> WorkbenchPage:
    return WorkbenchPage(workbench.page.context.new_page(), workbench.url)


def test_offered_text_that_tells_two_tools_apart_is_taken_into_the_editor(
    workbench: WorkbenchPage,
) -> None:
    reduced = make_expression(
        "discount * 2",
        name="doubling",
        description_agent="Doubles.",
        annotations={"readOnlyHint": True},
        parameters=[number("discount", description="The number to double.", example=21)],
    )
    make_expression(
        "a * 2",
        name="doubling_money",
        description_agent="Doubles one number of money.",
        annotations={"readOnlyHint": True},
        parameters=[number("a", description="The number to double.")],
    )
    save_question("double one number of money, a discount", ["doubling"], "ann")
    page = workbench.page
    workbench.open(reduced)
    description = page.locator("#description_agent")
    description.fill("Doubles one number.")
    expect(page.locator("#saved")).to_contain_text("Draft")

    dialog = workbench.publish()
    expect(dialog).to_contain_text("Tools that answer the same questions")
    dialog.get_by_role("button", name="Take this description").click()

    expect(dialog).to_be_hidden()
    expect(description).to_be_focused()
    offered = (
        'Use this tool when the question is about "discount";'
        ' when it is about "money", use doubling_money instead.'
    )
    expect(description).to_have_value(f"Doubles one number. {offered}")
    wait_until(lambda: offered in ToolDraft.objects.get().document["description_agent"])


def test_breaking_change_is_asked_about_and_told_in_the_history(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)
    workbench.write("b - c")
    expect(workbench.parameters.last).to_have_text("c")
    workbench.row("a").get_by_role("button", name="Remove").click()
    expect(workbench.row("a")).to_have_count(0)
    page.get_by_role("button", name="Changes", exact=True).click()
    expect(page.locator("#changes-dialog ins").first).to_contain_text("b - c")
    page.keyboard.press("Escape")

    dialog = workbench.publish()
    expect(dialog).to_contain_text("Agents that call it the old way will get an error.")
    expect(dialog).to_contain_text("Nobody has run this logic with success yet.")
    expect(dialog.get_by_role("button", name="Back")).to_be_focused()
    dialog.get_by_role("link", name="c has no description").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Description of c")).to_be_focused()
    page.keyboard.type("What is taken off.")
    workbench.publish().get_by_label("What changed?").fill("세 배로")
    dialog.get_by_role("button", name="Publish anyway").click()

    expect(page.locator("#saved")).to_contain_text("Live v")
    expect(page.locator("#saved")).not_to_contain_text("Draft")
    assert "c: NUMBER" in read_served()["doubling"]
    assert ToolVersion.objects.latest("number").note == "세 배로"


def test_name_of_a_built_in_tool_is_refused_with_the_way_to_the_field(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)

    page.get_by_label("Tool name").fill("get_table_details")
    dialog = workbench.publish()
    expect(dialog.get_by_role("alert")).to_contain_text("A built-in tool has this name")
    dialog.get_by_role("link", name="A built-in tool").press("Enter")

    expect(page.get_by_label("Tool name")).to_be_focused()
    assert list(read_served()) == ["doubling"]


def test_window_that_is_behind_keeps_what_was_typed_in_it(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page, other = workbench.page, second_window(workbench)
    workbench.open(doubling)
    other.open(doubling)

    other.page.get_by_label("For the agent").fill("Theirs.")
    other.expect_saved()
    page.get_by_label("For the agent").fill("Mine.")
    dialog = page.locator("#conflict-dialog")
    expect(dialog.locator("del").first).to_contain_text("Theirs.")
    expect(dialog.locator("ins").first).to_contain_text("Mine.")
    dialog.get_by_role("button", name="Keep mine").click()
    expect(dialog).to_be_hidden()
    workbench.expect_saved()
    page.locator("#description_agent").press("End")
    page.keyboard.type(" More.")
    workbench.expect_saved()

    assert ToolDraft.objects.get().document["description_agent"] == "Mine. More."


def test_draft_of_somebody_else_is_read_until_it_is_taken_over(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)
    page.get_by_label("For the agent").fill("By the administrator.")
    workbench.expect_saved()
    sign_in(page.context, workbench.url, User.objects.create_superuser("lee"))

    workbench.open(doubling)
    expect(page.get_by_text("admin is working on this draft.")).to_be_visible()
    expect(page.get_by_label("For the agent")).to_be_disabled()
    expect(page.get_by_role("button", name="Publish", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Take over").click()

    expect(page.get_by_label("For the agent")).to_be_editable()
    expect(page.get_by_label("For the agent")).to_have_value("By the administrator.")
    assert ToolDraft.objects.get().owner == "lee"


def test_typing_goes_on_after_the_session_has_ended(
    workbench: WorkbenchPage, doubling: ToolDefinition
) -> None:
    page = workbench.page
    workbench.open(doubling)
    Session.objects.all().delete()

    page.get_by_label("For the agent").fill("Typed after the end.")
    dialog = page.locator("#session-dialog")
    dialog.get_by_label("Password").fill("correct horse")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_be_hidden()
    kept = ToolDraft.objects.filter(document__description_agent="Typed after the end.")
    wait_until(kept.exists)
    workbench.expect_saved()


@each_look
def test_dialogs_are_accessible(
    workbench: WorkbenchPage, doubling: ToolDefinition, axe: Axe, look: Look
) -> None:
    page, other = workbench.page, second_window(workbench)
    look.apply(page, workbench.url, "ko" if look.viewport == PHONE else "en")
    workbench.open(doubling)
    other.open(doubling)
    workbench.write("b - c")
    expect(workbench.parameters.last).to_have_text("c")
    page.locator("#publish").click()
    expect(page.locator("#publish-dialog")).to_be_visible()
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.keyboard.press("Escape")

    other.page.locator("#description_agent").fill("Theirs.")
    expect(other.page.locator("#conflict-dialog")).to_be_visible()

    other.page.set_viewport_size(look.viewport)
    assert axe.violations(other.page) == []
    assert overflow_of(other.page) <= 0
