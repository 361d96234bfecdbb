"""A page of Chromium on a live server with a real PostgreSQL; tests fail on errors of the console."""

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from threading import Condition
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.templatetags.static import static
from django.test import Client, testcases
from django.test.testcases import FSFilesHandler, QuietWSGIRequestHandler
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import SCRIPT, Axe
from tests.browser.chromium import launch_arguments

# Playwright's loop runs in the thread of the tests, which use the database as well.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# What is waited for is a state; a page that never comes to it ends the test.
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)
# Chromium reports each of these; they are answers that pages expect.
EXPECTED_STATUS = re.compile(r"the server responded with a status of (401|403|404|409|422|429)\b")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """This machine's Chromium, not one that Playwright downloads."""
    return launch_arguments(browser_type_launch_args)


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """A desktop that speaks English and has no motion to wait for."""
    return {
        **browser_context_args,
        "viewport": {"width": 1440, "height": 900},
        "locale": "en-US",
        "reduced_motion": "reduce",
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Take a picture where a test fails; Playwright's option takes one of every test, to throw it away."""
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if call.when == "call" and report.failed and page is not None and not page.is_closed():
        name = re.sub(r"[^a-z0-9]+", "-", item.nodeid.lower()).strip("-")
        page.screenshot(path=Path(item.config.getoption("--output")) / f"{name}.png")
    return report


@pytest.fixture(scope="session")
def base_url() -> str:
    """Empty, so that the addresses of the live server are used as they are."""
    return ""


@pytest.fixture(scope="session", autouse=True)
def _product_sends_static_files() -> Iterator[None]:
    """As it does in use: Django's server of tests would send them itself, and so the media folder.

    That folder is not set, so that it is the current one, where static/ is.
    """
    with pytest.MonkeyPatch.context() as patched:
        for handler in (StaticFilesHandler, FSFilesHandler):
            patched.setattr(handler, "_should_handle", lambda _self, _path: False)
        yield


class CountingHandler(QuietWSGIRequestHandler):
    """Answers the requests of one connection, and knows how many are under way on all of them."""

    under_way = 0
    changed = Condition()
    _is_counted = False

    def parse_request(self) -> bool:
        """Count the request whose first line has come: before it a connection waits, perhaps for ever."""
        with self.changed:
            CountingHandler.under_way += 1
            self._is_counted = True
        is_read: bool = super().parse_request()
        return is_read

    def handle_one_request(self) -> None:
        """Wait for a request and answer it."""
        try:
            super().handle_one_request()
        finally:
            with self.changed:
                CountingHandler.under_way -= self._is_counted
                self._is_counted = False
                self.changed.notify_all()

    @classmethod
    def wait_until_idle(cls) -> None:
        """Return when every request has been answered."""
        with cls.changed:
            assert cls.changed.wait_for(lambda: cls.under_way == 0, timeout=WAIT_MS / 1000)


@pytest.fixture(scope="session", autouse=True)
def _server_counts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(testcases, "QuietWSGIRequestHandler", CountingHandler)
        yield


@pytest.fixture(scope="session")
def shared_context(
    browser: Browser, browser_context_args: dict[str, Any], live_server: LiveServer
) -> Iterator[BrowserContext]:
    """Has compiled the scripts of our pages and kept our files: each new one would do that again.

    Its first page stays, and with it the process of them all.
    """
    context = browser.new_context(**browser_context_args)
    context.new_page().goto(live_server.url + static("web/app.css"))
    yield context
    context.close()


@pytest.fixture
def context(
    request: pytest.FixtureRequest,
    shared_context: BrowserContext,
    browser_context_args: dict[str, Any],
) -> Iterator[BrowserContext]:
    """As empty as a new one, but for the files that browsers keep for ever.

    What stays in a context until it is closed, such as a clock, needs the mark `own_context`.
    """
    if request.node.get_closest_marker("own_context"):
        assert shared_context.browser is not None
        with shared_context.browser.new_context(**browser_context_args) as own:
            yield own
        return
    yield shared_context
    stored = {"origin": "*", "storageTypes": "local_storage"}
    for page in shared_context.pages[1:]:
        shared_context.new_cdp_session(page).send("Storage.clearDataForOrigin", stored)
        page.close()
    shared_context.clear_cookies()
    shared_context.clear_permissions()
    shared_context.unroute_all()


@pytest.fixture
def answered_requests() -> Iterator[None]:
    """Ends when no request of the test is under way any more.

    A page that is closed leaves its last requests behind. They read tables which the database of
    the tests then empties: each would wait for the other.
    """
    yield
    CountingHandler.wait_until_idle()


@pytest.fixture(autouse=True)
def console_errors(answered_requests: None, context: BrowserContext) -> Iterator[list[str]]:
    """What the console and uncaught errors say; a test that leaves some here fails."""
    errors: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not EXPECTED_STATUS.search(message.text):
            errors.append(message.text)

    context.set_default_timeout(WAIT_MS)
    context.on("console", hear)
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield errors
    assert errors == []


@pytest.fixture(scope="session")
def password_hash() -> str:
    """Of "correct horse"; made once, since a good hash takes half a second."""
    return make_password("correct horse")


@pytest.fixture
def administrator(transactional_db: None, password_hash: str) -> User:
    """A superuser whose password is "correct horse"."""
    return User.objects.create(
        username="admin", password=password_hash, is_staff=True, is_superuser=True
    )


@pytest.fixture
def signed_in(page: Page, live_server: LiveServer, administrator: User) -> Page:
    """A page with the administrator's session."""
    client = Client()
    client.force_login(administrator)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
    )
    return page


@pytest.fixture(scope="session")
def axe() -> Axe:
    """Finds violations of accessibility rules."""
    return Axe(SCRIPT.read_text())
