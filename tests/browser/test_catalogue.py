"""The catalogue in a browser: described by keyboard, scanned, exported and imported, found."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from catalog.models import CatalogColumn, CatalogScan, CatalogTable
from catalog.scans import run as scan_run
from catalog.scans.scanning import run_scan
from catalog.searching.texts import refresh_search_texts
from tests.browser.accessibility import DESKTOP, Axe, Look, overflow_of
from tests.browser.early import hold_htmx, let_htmx_begin
from tests.catalog.shop import make_shop

SALES = "/catalogue/main_db/public.sales_transactions/"


@pytest.fixture
def sales(transactional_db: None) -> CatalogTable:
    """The shop's sales_transactions, between the tables that it is related to."""
    table = make_shop()
    refresh_search_texts(list(CatalogTable.objects.values_list("pk", flat=True)))
    return table


@pytest.fixture
def own_database(transactional_db: None, settings: Any) -> None:
    """Makes the application's own database of this test the default data source."""
    target = connection.settings_dict
    for name, key in (("USER", "USER"), ("PASS", "PASSWORD"), ("NAME", "NAME"), ("HOST", "HOST")):
        setattr(settings, f"POSTGRESQL_DB_{name}", target[key])
    settings.POSTGRESQL_DB_PORT = int(target["PORT"])


@pytest.fixture
def paused_scan(own_database: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A scan of real tables that another thread works on, and that waits until the event is set."""
    monkeypatch.setattr(scan_run, "PULSE_S", 0.01)
    scan = CatalogScan.objects.create(requested_by="kim")
    reached, go_on = threading.Event(), threading.Event()

    def pause() -> bool:
        reached.set()
        go_on.wait(20)
        return False

    def run() -> None:
        run_scan(CatalogScan.objects.get(pk=scan.pk), is_stopped=pause)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert reached.wait(20)
    yield go_on
    go_on.set()
    thread.join(20)


def description_of(name: str) -> str:
    return CatalogColumn.objects.get(table__name="sales_transactions", name=name).description


def test_steward_describes_columns_by_keyboard_alone(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}{SALES}")
    page.get_by_label("Description of id").focus()

    page.keyboard.type("식별자")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Description of store_id")).to_be_focused()
    page.keyboard.type("first line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Description of product_id")).to_be_focused()
    page.keyboard.type("a mistake")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Description of product_id")).to_have_value("")
    expect(page.get_by_text("Saved")).to_have_count(2)

    assert description_of("id") == "식별자"
    assert description_of("store_id") == "first line\nsecond"
    assert description_of("product_id") == ""


def test_text_that_somebody_else_changed_is_shown_beside_ones_own(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}{SALES}?tab=notes")
    notes = page.get_by_label("Notes on sales_transactions")
    CatalogTable.objects.filter(pk=sales.pk).update(notes="theirs")

    notes.fill("mine")
    notes.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("theirs")
    page.get_by_role("button", name="Save mine instead").click()

    expect(page.get_by_text("Saved")).to_have_count(1)
    assert CatalogTable.objects.get(pk=sales.pk).notes == "mine"


def test_tags_relations_and_visibility_are_edited_in_place(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}{SALES}")

    page.get_by_label("Add a tag").fill("매출")
    page.get_by_label("Add a tag").press("Enter")
    expect(page.get_by_label("Add a tag")).to_be_focused()
    page.get_by_role("button", name="Remove the tag 日次").click()
    expect(page.get_by_role("list", name="Tags")).not_to_contain_text("日次")
    page.get_by_role("switch", name="Hide from agents").check()
    page.get_by_role("link", name="Related").click()
    expect(page).to_have_url(f"{live_server.url}{SALES}?tab=related")
    page.get_by_role("button", name="Remove the relation to daily_sales_summary").click()
    page.get_by_role("button", name="Continue").click()

    expect(page.locator(".relation-list")).not_to_contain_text("daily_sales_summary")
    sales.refresh_from_db()
    assert sales.is_hidden
    assert set(sales.tags.values_list("name", flat=True)) == {"売上", "トランザクション", "매출"}


def test_search_while_typing_keeps_its_address(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")

    page.keyboard.press("/")
    page.keyboard.type("店舗マスタ")
    expect(page.get_by_role("status")).to_have_text("1 table")
    expect(page).to_have_url(
        f"{live_server.url}/catalogue/?q=%E5%BA%97%E8%88%97%E3%83%9E%E3%82%B9%E3%82%BF"
    )
    page.get_by_role("link", name="stores").click()
    page.go_back()

    expect(page.get_by_role("searchbox")).to_have_value("店舗マスタ")
    expect(page.get_by_role("link", name="stores")).to_be_visible()


def test_search_that_is_typed_before_htmx_listens_is_sent(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    page = signed_in
    hold_htmx(page)
    page.goto(f"{live_server.url}/catalogue/")
    page.keyboard.press("/")
    page.keyboard.type("店舗マスタ")

    let_htmx_begin(page)

    expect(page.get_by_role("status")).to_have_text("1 table")


def test_scan_fills_an_empty_catalogue(
    signed_in: Page, live_server: LiveServer, own_database: None, settings: Any
) -> None:
    page = signed_in
    settings.REDIS_URL = ""
    page.goto(f"{live_server.url}/catalogue/")

    page.get_by_role("link", name="Scan a data source").click()
    page.get_by_role("button", name="Start").click()

    expect(page.get_by_text("0 changed, 0 gone")).to_be_visible()
    assert CatalogTable.objects.filter(name="h_catalog_table").exists()
    page.get_by_role("button", name="Close").first.click()


def test_running_scan_is_watched_and_cancelled(
    signed_in: Page, live_server: LiveServer, paused_scan: threading.Event
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")
    expect(page.get_by_role("progressbar", name="Progress of the scan")).to_be_visible()

    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("stopping…")).to_be_visible()
    paused_scan.set()

    expect(page.get_by_text("What was read until then is kept")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Progress of the scan")).to_have_count(0)


def test_exported_file_comes_back_with_its_differences(
    signed_in: Page, live_server: LiveServer, sales: CatalogTable, tmp_path: Path
) -> None:
    page = signed_in
    page.goto(f"{live_server.url}/catalogue/")
    page.get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV for spreadsheets").click()
    text = Path(download.value.path()).read_bytes().decode()
    edited = tmp_path / "edited.csv"
    edited.write_bytes(text.replace("店舗マスタ", "가게 <목록>").encode())

    page.goto(f"{live_server.url}/catalogue/import/")
    page.get_by_label("File (CSV or YAML)").set_input_files(edited)
    page.get_by_role("button", name="Show the differences").click()
    expect(page.locator("ins.added")).to_have_text("가게 <목록>")
    page.get_by_role("button", name="Apply 1 change").click()

    expect(page.get_by_role("status")).to_contain_text("1 text of edited.csv was written")
    assert CatalogTable.objects.get(name="stores").display_name == "가게 <목록>"


@pytest.mark.usefixtures("sales")
def test_pages_are_accessible(signed_in: Page, live_server: LiveServer, axe: Axe) -> None:
    # On a phone and in English `test_every_page` looks at them.
    Look("light", DESKTOP).apply(signed_in, live_server.url, "ko")
    for address in ("/catalogue/", SALES, f"{SALES}?tab=related"):
        signed_in.goto(f"{live_server.url}{address}")

        assert axe.violations(signed_in) == []
        assert overflow_of(signed_in) <= 0


def test_list_and_table_work_without_javascript(
    browser: Browser, signed_in: Page, live_server: LiveServer, sales: CatalogTable
) -> None:
    plain = browser.new_context(java_script_enabled=False, locale="en-US")
    plain.add_cookies(signed_in.context.cookies())  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{live_server.url}/catalogue/?q=sales_transactions")

    page.get_by_role("link", name="sales_transactions").first.click()
    form = page.locator("form[id$='-display_name']").first
    form.get_by_role("textbox").fill("Sales")
    form.get_by_role("button", name="Save").click()

    expect(page.get_by_label("Display name of sales_transactions")).to_have_value("Sales")
    plain.close()
