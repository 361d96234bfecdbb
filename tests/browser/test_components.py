"""Every component on one page: accessible, quiet, and doing what it says."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import PHONE, Axe, Look, each_look, overflow_of


@pytest.fixture
def components(signed_in: Page, live_server: LiveServer, settings: Settings) -> Page:
    """The page of all components."""
    templates: list[dict[str, Any]] = [dict(engine) for engine in settings.TEMPLATES]
    templates[0]["DIRS"] = [*templates[0]["DIRS"], Path(__file__).parent / "templates"]
    settings.TEMPLATES = templates
    settings.ROOT_URLCONF = "tests.browser.urls"
    signed_in.goto(f"{live_server.url}/components/")
    return signed_in


@each_look
def test_components_are_accessible(
    components: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    look.apply(components, live_server.url, "ko")
    components.reload()

    assert axe.violations(components) == []
    assert overflow_of(components) <= 0


def test_targets_are_large_enough_for_fingers(components: Page) -> None:
    components.set_viewport_size(PHONE)

    small = components.evaluate(
        """() => [...document.querySelectorAll('main .button, main .input, main .select')]
            .filter(each => each.getBoundingClientRect().height < 40).map(each => each.outerHTML)"""
    )

    assert small == []


def test_messages_of_an_answer_become_toasts(components: Page) -> None:
    components.get_by_role("button", name="Save").click()

    expect(components.get_by_text("done")).to_be_visible()
    expect(components.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    refusal = components.get_by_role("alert").filter(has_text="The database refused it.")
    refusal.get_by_role("button", name="Close").click()
    expect(refusal).to_have_count(0)


@pytest.mark.parametrize(
    ("choice", "answer"), [pytest.param("Continue", "done"), pytest.param("Cancel", "")]
)
def test_question_is_asked_before(components: Page, choice: str, answer: str) -> None:
    components.get_by_role("button", name="Delete").click()
    expect(components.get_by_role("dialog")).to_contain_text("Delete the column?")

    components.get_by_role("button", name=choice).click()

    expect(components.get_by_role("dialog")).to_be_hidden()
    expect(components.locator("#answer")).to_have_text(answer)


def test_dialog_opens_by_its_button_and_closes_by_escape(components: Page) -> None:
    components.locator("#open-scan").click()
    expect(components.get_by_role("dialog", name="Scan main_db")).to_be_visible()

    components.keyboard.press("Escape")

    expect(components.get_by_role("dialog")).to_be_hidden()
    expect(components.locator("#open-scan")).to_be_focused()


def test_toast_over_a_dialog_can_be_closed_and_outlives_it(components: Page) -> None:
    components.locator("#open-scan").click()
    components.evaluate(
        "import('web/toast.js').then(toasts => ['one', 'two'].map(text => toasts.showToast('error', text)))"
    )

    first = components.get_by_role("alert").filter(has_text="one")
    first.get_by_role("button", name="Close").click()
    expect(first).to_have_count(0)
    components.keyboard.press("Escape")

    expect(components.get_by_role("dialog")).to_be_hidden()
    expect(components.get_by_role("alert").filter(has_text="two")).to_be_visible()


def test_what_stays_is_not_said_twice(components: Page) -> None:
    components.evaluate(
        "import('web/toast.js').then(toasts =>"
        " ['away', 'away', 'other', 'away'].map(text => toasts.showToast('error', text)))"
    )

    expect(components.get_by_role("alert").locator("p")).to_have_text(["away", "other"])


def test_slash_goes_to_the_search(components: Page) -> None:
    components.keyboard.press("/")

    expect(components.get_by_label("Find a table")).to_be_focused()


def test_failed_answer_is_a_toast_and_not_the_page(
    components: Page, console_errors: list[str]
) -> None:
    components.get_by_role("button", name="Fail").click()

    expect(components.get_by_role("alert").filter(has_text="could not do this")).to_be_visible()
    expect(components.locator("#answer")).to_have_text("")
    assert [error for error in console_errors if "500" not in error] == []
    console_errors.clear()


def test_ended_session_keeps_what_was_entered(components: Page) -> None:
    components.get_by_label("Notes").fill("a long text")
    Session.objects.all().delete()
    components.get_by_role("button", name="Save").click()
    dialog = components.get_by_role("dialog", name="Sign in again")
    expect(dialog.get_by_label("User name")).to_have_value("admin")

    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog.get_by_role("alert")).to_contain_text("wrong")
    dialog.get_by_label("Password").fill("correct horse")
    dialog.get_by_role("button", name="Sign in").click()

    expect(dialog).to_be_hidden()
    expect(components.get_by_label("Notes")).to_have_value("a long text")
    components.get_by_role("button", name="Save").click()
    expect(components.locator("#answer")).to_have_text("done")
