"""Forms that load another page keep what was entered when the session is not there any more."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from access.models import ApiKey


@pytest.fixture
def new_key(signed_in: Page, live_server: LiveServer) -> Page:
    """The form of a new key, filled in."""
    signed_in.goto(f"{live_server.url}/keys/new/")
    signed_in.get_by_label("Name", exact=True).fill("nightly report")
    signed_in.get_by_label("Claims").fill('{"tenant": "KR"}')
    return signed_in


def create(page: Page) -> None:
    page.get_by_role("button", name="Create the key").click()


def test_form_is_kept_when_the_session_has_ended(new_key: Page) -> None:
    Session.objects.all().delete()

    create(new_key)

    dialog = new_key.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("Password").fill("correct horse")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_be_hidden()
    expect(new_key.get_by_label("Claims")).to_have_value('{"tenant": "KR"}')
    create(new_key)
    expect(new_key.get_by_text("This is the only time that the key is shown")).to_be_visible()
    assert ApiKey.objects.get().claims == {"tenant": "KR"}


def test_form_from_before_a_sign_in_in_another_window_is_taken(
    new_key: Page, live_server: LiveServer, administrator: User
) -> None:
    other = new_key.context.new_page()
    new_key.context.clear_cookies(name="sessionid")
    other.goto(f"{live_server.url}/sign-in/")
    other.get_by_label("User name").fill("admin")
    other.get_by_label("Password").fill("correct horse")
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()

    create(new_key)

    expect(new_key.get_by_text("This is the only time that the key is shown")).to_be_visible()


def test_form_is_sent_once_however_often_its_button_is_pressed(new_key: Page) -> None:
    held: list[Route] = []
    asked: list[str] = []
    new_key.on("request", lambda request: asked.append(request.url))
    new_key.route("**/session/", lambda one: one.continue_() if held else held.append(one))

    with new_key.expect_request("**/session/"):
        new_key.get_by_role("button", name="Create the key").dblclick()
    expect(new_key.get_by_label("Claims")).to_be_visible()
    held[0].continue_()

    expect(new_key.get_by_text("This is the only time that the key is shown")).to_be_visible()
    assert len([url for url in asked if url.endswith("/session/")]) == 1
    assert ApiKey.objects.count() == 1


def test_form_can_be_sent_again_after_something_in_between_has_answered(new_key: Page) -> None:
    new_key.route("**/session/", lambda one: one.fulfill(body="<h1>Welcome to the hotel</h1>"))

    create(new_key)

    expect(new_key.locator("[data-toast]")).to_be_visible()
    new_key.unroute("**/session/")
    create(new_key)
    expect(new_key.get_by_text("This is the only time that the key is shown")).to_be_visible()


def test_page_that_is_kept_does_not_come_back_after_the_person_has_signed_out(
    signed_in: Page, live_server: LiveServer
) -> None:
    signed_in.goto(f"{live_server.url}/keys/")
    other = signed_in.context.new_page()
    other.goto(f"{live_server.url}/tools/")
    comes_back = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    signed_in.evaluate(comes_back)
    expect(signed_in.get_by_role("heading", name="Last changes")).to_be_visible()

    other.goto(f"{live_server.url}/admin/")
    other.get_by_role("button", name="Log out").click()
    expect(other).to_have_url(f"{live_server.url}/sign-in/")
    signed_in.evaluate(comes_back)

    expect(signed_in).to_have_url(f"{live_server.url}/sign-in/?next=/keys/")
