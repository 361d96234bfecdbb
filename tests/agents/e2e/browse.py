"""Asks the agent in ADK's pages, in a real browser: `browse.py URL QUESTION EXPECTED [PICTURE]`.

Run by the server's own environment, which has Playwright; prints the text of the conversation.
"""

import sys

from playwright.sync_api import ViewportSize, expect, sync_playwright

from tests.browser.chromium import launch_arguments

LOOK = ViewportSize(width=1280, height=860)
ANSWER_TIMEOUT_MS = 240_000
SETTLE_MS = 1_000


def main(url: str, question: str, expected: str, picture: str = "") -> None:
    """Open the app, ask, wait until the answer's table shows what is expected."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_arguments({}))
        page = browser.new_context(viewport=LOOK, reduced_motion="reduce").new_page()
        page.set_default_timeout(ANSWER_TIMEOUT_MS)
        page.goto(f"{url}/dev-ui/?app=data_search")
        # ADK asks each new browser whether it may collect usage data.
        page.get_by_role("button", name="No Thanks").click()
        box = page.locator("textarea").last
        box.fill(question)
        box.press("Enter")
        table = page.locator("table").last
        expect(table).to_contain_text(expected, timeout=ANSWER_TIMEOUT_MS)
        sys.stdout.write(table.inner_text())
        if picture:
            # The icons' font is fetched from the Internet, and names stand for them without it.
            page.add_style_tag(content="mat-icon { visibility: hidden }")
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
