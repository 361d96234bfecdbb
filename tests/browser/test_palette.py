"""The command palette with keys, pointer and phone; the settings page."""

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import PHONE, Axe, Look, each_look, overflow_of
from tests.factories import make_tool


def test_keys_open_it_in_a_field_find_a_tool_and_lead_there(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    make_tool(name="find_customer", title="고객 찾기")
    page.goto(f"{live_server.url}/tools/")
    page.get_by_role("searchbox").first.focus()

    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search for tools")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Dashboard")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    page.keyboard.insert_text("고객")
    expect(page.get_by_role("option", name="find_customer")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox").first).to_be_focused()
    page.keyboard.press("Control+k")
    # Enter waits for the answer to what is typed.
    page.keyboard.insert_text("고객")
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{live_server.url}/tools/find_customer/")


def test_key_that_comes_right_after_the_options_counts(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")
    page.evaluate(
        """() => {
            const channel = new MessageChannel();
            const key = new KeyboardEvent("keydown", { key: "ArrowUp", cancelable: true });
            channel.port1.onmessage = () => document.getElementById("palette-input").dispatchEvent(key);
            const observer = new MutationObserver(() => channel.port2.postMessage(observer.disconnect()));
            observer.observe(document.getElementById("palette-results"), { childList: true });
        }"""
    )

    page.keyboard.press("Control+k")

    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")


def test_page_lends_its_actions_and_an_open_dialog_keeps_its_keys(
    signed_in: Page, live_server: LiveServer
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/settings/")
    page.evaluate(
        """() => {
            const button = document.createElement("button");
            button.dataset.paletteAction = "Publish <b>";
            button.addEventListener("click", () => document.getElementById("confirm-dialog").showModal());
            document.getElementById("content").append(button);
        }"""
    )

    page.get_by_role("link", name="Go to…").click()
    page.get_by_role("combobox", name="Search for tools").fill("publ")
    # Pages of the documentation come after it.
    expect(page.get_by_role("option").first).to_have_text("Publish <b>")
    page.keyboard.press("Enter")
    expect(page.locator("#confirm-dialog")).to_be_visible()
    page.keyboard.press("Control+k")

    expect(page.locator("#palette")).to_be_hidden()


def test_actions_change_colours_and_language(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.set_viewport_size(PHONE)
    page.goto(f"{live_server.url}/settings/")

    for wanted, name, value in (
        ("switch dark", "data-theme", "dark"),
        ("japanese", "lang", "ja"),
    ):
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Go to…").click()
        page.get_by_role("combobox", name="Search for tools").fill(wanted)
        page.keyboard.press("Enter")

        expect(page.locator("html")).to_have_attribute(name, value)
        expect(page.locator("#palette")).to_be_hidden()


@each_look
def test_palette_and_settings_are_accessible(
    signed_in: Page, live_server: LiveServer, axe: Axe, look: Look
) -> None:
    page = signed_in
    User.objects.update(first_name="Minsu", last_name="Kim")
    look.apply(page, live_server.url, "ko" if look.viewport == PHONE else "en")
    page.goto(f"{live_server.url}/settings/")
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0

    page.keyboard.press("Control+k")
    expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    results = page.locator("#palette-results")
    assert results.evaluate("box => box.scrollHeight > box.clientHeight && box.tabIndex === 0")

    assert axe.violations(page) == []
