"""Pages that are used before their scripts listen, as on a slow network or a busy machine."""

from playwright.sync_api import Page

_HOLD = """
    const wait = window.setTimeout, early = [];
    window.setTimeout = (act, delay) => delay || document.readyState === "complete" && !early.length
        ? wait(act, delay) : early.push(act);
    window.goOn = () => { window.setTimeout = wait; early.forEach((act) => act()); };
"""


def hold_htmx(page: Page) -> None:
    """Keep htmx from taking up the pages that are loaded from now on."""
    page.add_init_script(_HOLD)


def let_htmx_begin(page: Page) -> None:
    """Let it take up the page that is shown."""
    page.evaluate("goOn()")
