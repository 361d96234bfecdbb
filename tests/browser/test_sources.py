"""Data sources in a browser: registered, tried, refused with the SQL of a role, checked and changed."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.fernet import Fernet
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from access.encryption import seal
from catalog.models import DataSource
from catalog.sources.checking import inspect_source, store_report
from config.services.postgres import EmbeddedPostgres
from tests.browser.accessibility import DESKTOP, Axe, Look, overflow_of
from tests.catalog.sources.pages import password_of
from tests.factories import make_tool

Address = dict[str, str]


@pytest.fixture(autouse=True)
def _keys(settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A SQLite file with a table."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE item (id INTEGER)")
    return path


def address_of(postgres: EmbeddedPostgres, role: Any) -> Address:
    """What a person enters to reach the demo database as that role."""
    parts = urlsplit(postgres.dsn("demo", role))
    return {
        "Host": parts.hostname or "",
        "Port": str(parts.port),
        "Database": "demo",
        "Role": parts.username or "",
        "Password": parts.password or "",
    }


@pytest.fixture
def sales(transactional_db: None, embedded_postgres: EmbeddedPostgres) -> DataSource:
    """A checked source of the demo database with a stored password and a tool on it."""
    parts = address_of(embedded_postgres, "demo_reader")
    source = DataSource(name="sales", host=parts["Host"], port=int(parts["Port"]))
    source.database, source.username = "demo", parts["Role"]
    source.password = seal(parts["Password"], source.password_identity())
    source.save()
    # Playwright's loop runs in this thread.
    with ThreadPoolExecutor(1) as other_thread:
        store_report(source, other_thread.submit(inspect_source, source).result())
    make_tool(name="daily_sales", data_source=source)
    return source


def enter(page: Page, fields: Address) -> None:
    for label, text in fields.items():
        page.get_by_label(label, exact=True).fill(text)


def test_file_is_registered_from_the_empty_list(
    signed_in: Page, live_server: LiveServer, shop: Path
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/sources/")

    page.get_by_role("link", name="Add a data source").click()
    page.get_by_label("Name").fill("shop")
    page.get_by_text("SQLite", exact=True).click()
    expect(page.get_by_label("Host", exact=True)).to_be_hidden()
    page.get_by_label("File", exact=True).fill(str(shop))
    page.get_by_role("button", name="Try the connection").click()
    expect(page.get_by_text("The connection can be used")).to_be_visible()
    page.get_by_role("button", name="Save").click()

    expect(page).to_have_url(f"{live_server.url}/sources/shop/")
    expect(page.locator("#check-panel")).to_contain_text("A write was tried in")


def test_superuser_is_refused_with_the_sql_and_the_form_keeps_its_password(
    signed_in: Page, live_server: LiveServer, embedded_postgres: EmbeddedPostgres
) -> None:
    page = signed_in
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    superuser = address_of(embedded_postgres, "superuser")
    page.goto(f"{live_server.url}/sources/~/add/")
    enter(page, {"Name": "sales"} | superuser)

    page.get_by_role("button", name="Save").click()
    expect(page.locator(".stage.refused")).to_contain_text("Rights of the role")
    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "CREATE ROLE" in page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_label("Password", exact=True)).to_have_value(superuser["Password"])
    assert not DataSource.objects.exists()


def test_edit_keeps_the_password(
    signed_in: Page, live_server: LiveServer, sales: DataSource
) -> None:
    page, password = signed_in, password_of(sales)
    page.goto(f"{live_server.url}/sources/sales/")

    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    page.get_by_text("Limits", exact=True).click()
    page.get_by_label("row ceiling").fill("77")
    page.keyboard.press("Control+s")
    expect(page).to_have_url(f"{live_server.url}/sources/sales/")

    sales.refresh_from_db()
    assert (sales.row_limit, password_of(sales)) == (77, password)


def test_wrong_field_is_marked_where_it_stands(signed_in: Page, live_server: LiveServer) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/sources/~/add/")
    page.get_by_label("Search path").fill("a;b")

    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("Mend the marked fields.")).to_be_visible()
    expect(page.get_by_label("Search path")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Search path")).to_have_value("a;b")


def test_check_shows_its_stages_and_keeps_the_focus(
    signed_in: Page, live_server: LiveServer, sales: DataSource
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/sources/sales/")
    DataSource.objects.update(database="gone")

    page.get_by_role("button", name="Check again").press("Enter")

    expect(page.locator(".stage.refused")).to_contain_text("The server has no database")
    expect(page.locator(".stage.skipped")).to_have_count(3)
    expect(page.locator("#source-state")).to_have_text("not reached")
    expect(page.get_by_role("button", name="Check again")).to_be_focused()


@pytest.mark.usefixtures("sales")
def test_pages_are_accessible(signed_in: Page, live_server: LiveServer, axe: Axe) -> None:
    # On a phone and in English `test_every_page` looks at them.
    Look("light", DESKTOP).apply(signed_in, live_server.url, "ko")
    for address in ("", "sales/", "sales/edit/"):
        signed_in.goto(f"{live_server.url}/sources/{address}")

        assert axe.violations(signed_in) == []
        assert overflow_of(signed_in) <= 0


def test_source_is_registered_without_javascript(
    browser: Browser, signed_in: Page, live_server: LiveServer, shop: Path
) -> None:
    plain = browser.new_context(java_script_enabled=False, locale="en-US")
    plain.add_cookies(signed_in.context.cookies())  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{live_server.url}/sources/~/add/")

    page.get_by_label("Name").fill("shop")
    page.get_by_text("SQLite", exact=True).click()
    expect(page.get_by_label("Host", exact=True)).to_be_hidden()
    page.get_by_label("File", exact=True).fill(str(shop))
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", name="shop")).to_be_visible()
    expect(page.locator("#check-panel")).to_contain_text("A write was tried in")
    plain.close()
