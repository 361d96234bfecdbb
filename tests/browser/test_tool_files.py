"""Tools as files in a browser: ticked and downloaded, imported after a look at the plan, and told from their files."""

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.accessibility import Axe, overflow_of
from tests.factories import make_expression, make_toolset
from toolbuilder.history.versions import record_versions
from tools.models import ToolDefinition


@pytest.fixture(autouse=True)
def _tools(transactional_db: None) -> None:
    """Two tools."""
    make_expression(name="times")
    make_expression("a + b", name="plus")


def test_ticked_tools_are_downloaded_changed_and_imported(
    signed_in: Page, live_server: LiveServer, axe: Axe, tmp_path: Path
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/tools/")
    page.get_by_role("checkbox", name="Choose times").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="ZIP").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        text = archive.read("tools/times.yaml").decode()
    broken, changed = tmp_path / "broken.yaml", tmp_path / "times.yaml"
    broken.write_text(text + "row_limit: many\n")
    changed.write_text(text.replace("a * b", "b * a"))

    page.get_by_role("link", name="Import").click()
    page.locator("#files").set_input_files(broken)
    page.get_by_role("button", name="Show the differences").click()
    expect(page.get_by_role("alert")).to_contain_text("1 fault, so nothing was imported.")
    expect(page.get_by_role("alert")).to_contain_text("broken.yaml:")
    page.locator("#files").set_input_files(changed)
    page.get_by_role("button", name="Show the differences").click()
    page.get_by_label("What becomes of times").select_option(label="Replace it")
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.get_by_role("button", name="Import", exact=True).click()

    expect(page.get_by_text("1 tool was imported.")).to_be_visible()
    assert ToolDefinition.objects.get(name="times").definition == "b * a"


def test_pages_tell_what_comes_from_files(
    signed_in: Page, live_server: LiveServer, axe: Axe, tmp_path: Path
) -> None:
    make_toolset("maths", "plus", owned_by_files=True)
    for action in ("export", "apply"):
        call_command("tools", action, f"{tmp_path}/", stdout=io.StringIO())
    ToolDefinition.objects.filter(name="times").update(definition="b * a")
    record_versions()
    page = signed_in

    page.goto(f"{live_server.url}/tools/?state=differing")
    page.get_by_role("link", name="times").click()
    page.get_by_text("Differs from its file").click()
    expect(page.get_by_role("deletion").filter(has_text="a * b")).to_be_visible()
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
    page.goto(f"{live_server.url}/tools/plus/")

    expect(page.get_by_text("is owned by files, so it is read-only here")).to_be_visible()
    expect(page.get_by_role("button", name="Publish")).to_have_count(0)
    assert axe.violations(page) == []
    assert overflow_of(page) <= 0
