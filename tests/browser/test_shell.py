"""The shell of every page: signing in and out, colours, languages, small windows."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import LANGUAGES, PHONE, Axe, Look, each_look, overflow_of


def fill_in(page: Page, password: str) -> None:
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_person_signs_in_and_out(page: Page, live_server: LiveServer, administrator: User) -> None:
    page.goto(f"{live_server.url}/")
    fill_in(page, "correct horse")
    expect(page.get_by_role("link", name="Dashboard").first).to_have_attribute(
        "aria-current", "page"
    )

    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_role("heading", name="Sign in to Toolbuilder")).to_be_visible()


def test_wrong_password_is_said_beside_the_form(
    page: Page, live_server: LiveServer, administrator: User
) -> None:
    page.goto(f"{live_server.url}/sign-in/")

    fill_in(page, "wrong")

    expect(page.get_by_role("alert")).to_have_text("The user name or the password is wrong.")
    expect(page.get_by_label("User name")).to_have_value("admin")
    expect(page.get_by_label("Password")).to_be_focused()


def test_chosen_theme_stays(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")

    page.get_by_label("Colours").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(19, 20, 22)")


def test_search_typed_before_the_page_hears_it_is_sent(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/htmx.min.js*", hold)
    page.goto(f"{live_server.url}/catalogue/~/glossary/", wait_until="commit")
    page.get_by_role("searchbox").fill("매장")

    held[0].continue_()

    expect(page.get_by_role("status").filter(has_text="1 concept")).to_be_visible()


def test_back_office_follows_the_theme(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")
    page.get_by_label("Colours").click()
    page.get_by_role("button", name="Dark").click()

    page.goto(f"{live_server.url}/admin/")

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_pages_and_back_office_share_one_theme(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.context.add_cookies([{"name": "theme", "value": "dark", "url": live_server.url}])
    page.goto(f"{live_server.url}/admin/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.locator("#header .theme-toggle").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.goto(f"{live_server.url}/catalogue/")

    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_lists_of_the_back_office_break_no_policy(signed_in: Page, live_server: LiveServer) -> None:
    signed_in.goto(f"{live_server.url}/admin/access/callrecord/")

    expect(signed_in.locator("#changelist")).to_be_visible()


@pytest.mark.parametrize("address", ["", "auth/user/", "auth/user/add/", "catalog/datasource/add/"])
def test_back_office_can_be_read_by_everybody(
    signed_in: Page, live_server: LiveServer, axe: Axe, address: str
) -> None:
    signed_in.goto(f"{live_server.url}/admin/{address}")

    # In the light and in the dark.
    assert axe.violations(signed_in) == []


@pytest.mark.parametrize(("name", "code"), [("한국어", "ko"), ("日本語", "ja")])
def test_chosen_language_stays(
    signed_in: Page, live_server: LiveServer, name: str, code: str
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")

    page.locator(".preferences summary", has_text="English").click()
    page.get_by_role("button", name=name).click()
    expect(page.locator("html")).to_have_attribute("lang", code)
    page.reload()

    expect(page.locator("html")).to_have_attribute("lang", code)


def test_drawer_opens_and_leads_on_a_phone(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.set_viewport_size(PHONE)
    page.goto(f"{live_server.url}/catalogue/")
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()

    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Back office").click()

    expect(page).to_have_url(f"{live_server.url}/admin/")


def test_keyboard_reaches_the_content_first(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("main")).to_be_focused()


def test_sign_in_works_without_javascript(
    browser: Browser, live_server: LiveServer, administrator: User
) -> None:
    context = browser.new_context(java_script_enabled=False, locale="en-US")
    page = context.new_page()
    page.goto(f"{live_server.url}/sign-in/")

    fill_in(page, "correct horse")

    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    context.close()


@each_look
def test_pages_of_everybody_are_accessible(
    page: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    for language in LANGUAGES:
        look.apply(page, live_server.url, language)
        for path in ("/sign-in/", "/nowhere/"):
            page.goto(f"{live_server.url}{path}")

            assert axe.violations(page) == []
            assert overflow_of(page) <= 0


def test_sidebar_folds_by_its_key_and_stays_so(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/settings/")
    sidebar = page.locator("#sidebar")

    page.keyboard.press("[")
    assert sidebar.evaluate("bar => bar.offsetWidth") == 52
    page.reload()

    assert sidebar.evaluate("bar => bar.offsetWidth") == 52
    expect(page.get_by_role("link", name="Catalogue", exact=True)).to_have_attribute(
        "title", re.compile(".")
    )
    page.get_by_role("button", name="Fold the sidebar").click()
    assert sidebar.evaluate("bar => bar.offsetWidth") == 204
