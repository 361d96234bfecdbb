"""Pages that people see and use before the page can hear them, as on a machine that has no time for it."""

from playwright.sync_api import Page

_HOLD = """
    const wait = window.setTimeout, early = [];
    window.setTimeout = (act, delay) => delay || document.readyState === "complete" && !early.length
        ? wait(act, delay) : early.push(act);
    window.goOn = () => { window.setTimeout = wait; early.forEach((act) => act()); };
"""


def hold_htmx(page: Page) -> None:
    """Let what htmx begins with wait on every page from now on."""
    page.add_init_script(_HOLD)


def let_htmx_begin(page: Page) -> None:
    """Let it go on on this page."""
    page.evaluate("goOn()")
