"""A page with one editor that the tests of a module share; its server needs no database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from tests.browser.editor.page import EditorPage

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Address of a server of pages that need no database."""
    templates: list[dict[str, Any]] = [dict(engine) for engine in settings.TEMPLATES]
    templates[0]["DIRS"] = [*templates[0]["DIRS"], HERE / "templates"]
    with override_settings(
        TEMPLATES=templates,
        STATICFILES_DIRS=[*settings.STATICFILES_DIRS, HERE / "static"],
        ROOT_URLCONF="tests.browser.editor.urls",
        ALLOWED_HOSTS=["localhost"],
    ):
        running = LiveServer("localhost")
        yield running.url
        running.stop()


@pytest.fixture(scope="module")
def loaded(
    browser: Browser, browser_context_args: dict[str, Any], server: str
) -> Iterator[tuple[EditorPage, list[str]]]:
    """A page with an editor that all tests share, and what its console says."""
    context = browser.new_context(**browser_context_args)
    errors: list[str] = []
    context.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    context.on("weberror", lambda error: errors.append(str(error.error)))
    editor = EditorPage(context.new_page(), server)
    editor.load()
    yield editor, errors
    context.close()


@pytest.fixture(autouse=True)
def console_errors(loaded: tuple[EditorPage, list[str]]) -> Iterator[list[str]]:
    """What the console and uncaught errors say; a test that leaves some here fails."""
    errors = loaded[1]
    errors.clear()
    yield errors
    assert errors == []


@pytest.fixture
def editor(loaded: tuple[EditorPage, list[str]]) -> EditorPage:
    return loaded[0]
