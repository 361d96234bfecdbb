"""The playground in a browser: a question, a call, an answer, and what is kept of it is evaluated."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import Axe
from tests.chat_model import Request, ScriptedModel, answers_of, calling, saying
from tests.factories import make_expression
from tests.toolbuilder.playground.fixtures import model, served_side

__all__ = ["model", "served_side"]


@pytest.fixture
def _product(transactional_db: None) -> None:
    make_expression(name="multiply", description_agent="Multiplies two numbers.")


@pytest.fixture
def world(_product: None, served_side: str, model: ScriptedModel) -> ScriptedModel:
    """A tool that is served, and a model that calls it once."""

    def answer(request: Request) -> object:
        answers = answers_of(request)
        return saying(f"It is **{answers[0]}**.") if answers else calling("multiply", a=6, b=7)

    model.answer = answer  # type: ignore[assignment]
    return model


def test_question_is_answered_kept_and_evaluated(
    world: ScriptedModel, signed_in: Page, live_server: LiveServer, axe: Axe
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/playground/")

    page.get_by_label("Question", exact=True).first.fill("What is 6 times 7?")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("It is 42.")
    expect(page).to_have_url(re.compile(r"\?chat=\d+$"))
    expect(page.get_by_label("Question", exact=True).first).to_have_value("")
    page.locator(".call summary").click()
    expect(page.locator(".call-text")).to_have_text("42")
    assert axe.violations(page) == []
    page.get_by_role("button", name="Keep as question").click()
    page.get_by_role("button", name="Run 1").click()

    row = page.locator(".verdicts tbody tr")
    expect(row).to_contain_text("right")
    expect(row).to_contain_text("multiply")
    expect(page.locator(".share-figure")).to_have_text("100 %")


def test_escape_stops_and_shift_enter_breaks_the_line(
    world: ScriptedModel, signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    world.answer = lambda _request: calling("multiply", a=1, b=1)
    page.goto(f"{live_server.url}/playground/")
    text = page.get_by_label("Question", exact=True).first

    text.fill("One")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("Two")
    expect(text).to_have_value("One\nTwo")
    page.keyboard.press("Enter")
    expect(page.locator(".working")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.locator(".working")).to_contain_text("Stopped.")
