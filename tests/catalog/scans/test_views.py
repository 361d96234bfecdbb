"""Scans and files of descriptions, as a browser asks for them."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from catalog.exchange.plan import find_plan
from catalog.models import CatalogScan, CatalogTable, ScanPhase, ScanState
from tests.catalog.browsing.test_views import HTMX, text_of
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import make_shop, make_table

CSV = "datasource,schema,table,column,description,tags\r\n"


def upload(client: Client, text: str, name: str = "words.csv") -> Any:
    """The answer to an import, its redirect followed."""
    file = SimpleUploadedFile(name, text.encode())
    return client.post("/catalogue/import/", {"file": file}, follow=True)


def make_scan(**given: Any) -> CatalogScan:
    scan: CatalogScan = CatalogScan.objects.create(**given)
    return scan


def progress_of(client: Client, scan: CatalogScan) -> str:
    return text_of(client.get(f"/catalogue/~/scans/{scan.pk}/", headers=HTMX))


def test_scan_is_requested_once_for_a_source(admin: Client) -> None:
    for _ in range(2):
        page = admin.post("/catalogue/~/scans/start/", {"source": "main_db"}, headers=HTMX)

    assert CatalogScan.objects.get().requested_by == "admin"
    assert "every 1s" in text_of(page)


def test_scan_without_javascript_leads_to_the_page_of_scans(admin: Client) -> None:
    response = admin.post("/catalogue/~/scans/start/", {"source": "main_db"}, follow=True)

    assert response.redirect_chain == [("/catalogue/scans/", 302)]
    assert "waiting for a worker" in text_of(response)


def test_running_scan_shows_how_far_it_is(admin: Client) -> None:
    scan = make_scan(
        state=ScanState.RUNNING,
        phase=ScanPhase.READING,
        table_name="<b>orders</b>",
        done_count=400,
        total_count=2000,
        heartbeat_at=timezone.now(),
    )

    page = progress_of(admin, scan)

    assert 'value="400" max="2000"' in page
    assert "reading columns and keys" in page
    assert "&lt;b&gt;orders" in page
    assert "every 1s" in page


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"state": "done", "new_count": 12, "changed_count": 3, "gone_count": 1},
            "12 new, 3 changed, 1 gone",
        ),
        ({"state": "done"}, "nothing has changed"),
        (
            {"state": "failed", "error": "read 400 of 2,000 tables; it is away"},
            "read 400 of 2,000 tables",
        ),
        ({"state": "cancelled", "done_count": 4, "total_count": 9}, "4 of 9"),
        ({"state": "done", "warnings": ["a", "b"]}, "2 warnings"),
    ],
    ids=["changes", "nothing", "failed", "cancelled", "warnings"],
)
def test_scan_that_is_over_says_what_it_found(
    admin: Client, given: dict[str, Any], told: str
) -> None:
    page = progress_of(admin, make_scan(finished_at=timezone.now(), **given))

    assert told in page
    assert "every 1s" not in page


def test_end_of_a_scan_loads_the_list_that_it_is_watched_from(admin: Client) -> None:
    scan = make_scan(state=ScanState.DONE)
    watched = HTMX | {"HX-Current-URL": "http://testserver/catalogue/?q=a&tag=b"}

    page = text_of(admin.get(f"/catalogue/~/scans/{scan.pk}/", headers=watched))

    assert 'hx-target="#tables"' in page


def test_waiting_scan_is_cancelled_at_once(admin: Client) -> None:
    scan = make_scan()

    page = text_of(admin.post(f"/catalogue/~/scans/{scan.pk}/cancel/", headers=HTMX))

    scan.refresh_from_db()
    assert scan.state == ScanState.CANCELLED
    assert "every 1s" not in page


def test_reopened_page_shows_the_running_scan(admin: Client) -> None:
    make_table("t")
    scan = make_scan(state=ScanState.RUNNING, heartbeat_at=timezone.now())

    page = text_of(admin.get("/catalogue/"))

    assert f'id="scan-{scan.pk}"' in page
    assert "data-watched" in page


def test_scans_of_restricted_sources_are_not_there_for_others(
    client: Client, make_source: MakeSource
) -> None:
    scan = make_scan(source=make_source("hr", is_restricted=True))
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_catalogscan"))
    client.force_login(user)

    assert client.get(f"/catalogue/~/scans/{scan.pk}/").status_code == 404
    assert client.post(f"/catalogue/~/scans/{scan.pk}/cancel/").status_code == 404
    for name in ("hr", "h\0r"):
        assert client.post("/catalogue/~/scans/start/", {"source": name}).status_code == 404
    assert "hr" not in client.get("/catalogue/scans/").context["scan_sources"]


@pytest.mark.parametrize("address", ["~/scans/start/", "import/", "~/import/x/apply/"])
def test_readers_neither_scan_nor_import(client: Client, db: None, address: str) -> None:
    client.force_login(User.objects.create_user("kim", is_staff=True))

    assert client.post(f"/catalogue/{address}").status_code == 403


@pytest.mark.parametrize(
    ("file_format", "content_type"), [("csv", "text/csv"), ("yaml", "application/yaml")]
)
def test_export_is_a_download(admin: Client, file_format: str, content_type: str) -> None:
    make_shop()

    response = admin.get(f"/catalogue/export/?format={file_format}")

    assert response["Content-Type"].startswith(content_type)
    assert response["Content-Disposition"].endswith(f'.{file_format}"')
    assert "売上トランザクション" in text_of(response)


def test_export_of_an_unknown_format_or_source(admin: Client) -> None:
    make_shop()

    assert admin.get("/catalogue/export/?format=exe").status_code == 404
    assert "sales" not in text_of(admin.get("/catalogue/export/?source=other"))


def test_import_shows_differences_and_applies_them(admin: Client) -> None:
    table = make_table("users", description="old <b>words</b>")

    shown = upload(admin, CSV + "main_db,public,users,,new words,people\r\n")
    done = admin.post(f"/catalogue/~/import/{shown.context['key']}/apply/")

    table.refresh_from_db()
    assert "old &lt;b&gt;words&lt;/b&gt;</del>" in text_of(shown)
    assert "Apply 2 changes" in text_of(shown)
    assert table.description == "new words"
    assert "2 texts of words.csv were written" in text_of(done)


def test_import_leaves_alone_what_changed_after_it_was_shown(admin: Client) -> None:
    table = make_table("users", description="old")
    key = upload(admin, CSV + "main_db,public,users,,new,\r\n").context["key"]
    CatalogTable.objects.update(description="theirs")

    done = admin.post(f"/catalogue/~/import/{key}/apply/")

    table.refresh_from_db()
    assert table.description == "theirs"
    assert "Left alone" in text_of(done)


def test_import_names_unknown_rows_and_faults(admin: Client) -> None:
    make_table("users")
    rows = "main_db,public,usres,,x,\r\nmain_db,public,users,id,x,tag\r\n"

    page = text_of(upload(admin, CSV + rows))

    assert "usres" in page
    assert "only tables have tags" in page


def test_file_without_differences_says_so(admin: Client) -> None:
    make_table("users", description="same")

    page = text_of(upload(admin, CSV + "main_db,public,users,,same,\r\n"))

    assert "No differences" in page
    assert "Apply" not in page


@pytest.mark.parametrize(
    ("text", "name"), [("", "a.csv"), ("a,b\r\n1,2\r\n", "a.csv"), ("{", "a.yaml")]
)
def test_file_that_cannot_be_read_is_refused(admin: Client, text: str, name: str) -> None:
    response = upload(admin, text, name)

    assert response.status_code in {200, 422}
    assert "field-error" in text_of(response) or "Not usable" in text_of(response)


def test_plan_is_its_makers_and_used_once(admin: Client) -> None:
    make_table("users")
    key = upload(admin, CSV + "main_db,public,users,,new,\r\n").context["key"]
    other = User.objects.create_superuser("other")
    address = f"/catalogue/~/import/{key}/"

    assert find_plan(key, other) is None
    assert find_plan("nothing", other) is None
    assert admin.post(f"{address}drop/").status_code == 302
    assert admin.get(address).status_code == 404
    assert admin.post(f"{address}apply/").status_code == 404


def test_key_of_a_session_is_no_plan(admin: Client) -> None:
    key = admin.cookies["sessionid"].value

    admin.post(f"/catalogue/~/import/{key}/drop/")

    assert admin.get("/catalogue/").status_code == 200
