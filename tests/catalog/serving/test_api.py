"""The REST API: who may ask, its addresses, its errors, and what is noted of each request."""

import threading
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection as database
from django.test import Client
from django.utils import timezone

from access.models import ApiKey
from catalog.models import CatalogQuery, CatalogScan, ScanState
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import SALES_DETAILS, make_shop, make_table
from tests.factories import make_token

pytestmark = pytest.mark.django_db

MANY = ",".join(map(str, range(51)))


@pytest.fixture
def api() -> Client:
    """A client with a valid key."""
    return Client(headers={"authorization": f"Bearer {make_token()}"})


@pytest.mark.parametrize(
    ("address", "names"),
    [
        pytest.param(
            "/api/tables",
            ["daily_sales_summary", "products", "sales_transactions", "stores"],
            id="all",
        ),
        pytest.param("/api/tables/", 4, id="with a slash at the end"),
        pytest.param("/api/tables?tag=マスタ", ["products", "stores"], id="of a tag"),
        pytest.param("/api/tables?tag=", 4, id="of no tag"),
        pytest.param("/api/tables?names=stores,products", ["stores", "products"], id="by name"),
        pytest.param("/api/tables?names=stores&names=products", ["stores", "products"], id="twice"),
        pytest.param('/api/tables?names="stores"', ["stores"], id="quoted"),
        pytest.param("/api/tables/stores", ["stores"], id="one"),
        pytest.param("/api/tables/public.stores", ["stores"], id="with schema"),
    ],
)
def test_tables_are_told_as_json(api: Client, address: str, names: list[str] | int) -> None:
    make_shop()

    response = api.get(address)

    told = [table["name"] for table in response.json()["tables"]]
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert told == names or len(told) == names


def test_answers_are_those_of_the_tools(api: Client) -> None:
    make_shop()

    assert api.get("/api/tables/sales_transactions").json() == {"tables": [SALES_DETAILS]}
    assert api.get("/api/tags").json()["tags"][0] == {"name": "マスタ", "count": 2}
    info = api.get("/api/tables/sales_transactions/connection").json()
    assert info["environment_variable"] == "MAIN_DB_URL"
    assert info["connection_code"].keys() == {"sqlalchemy", "pandas"}


@pytest.mark.parametrize(
    "name", ["a/b", "50%", "line\nbreak", "표 🦀", "a,b", 'q"q', "?x#y", "a+b", "x/connection"]
)
def test_table_of_a_strange_name_has_an_address(api: Client, name: str) -> None:
    make_table(name)
    asked = next(table["name"] for table in api.get("/api/tables").json()["tables"])
    in_csv = '"' + asked.replace('"', '""') + '"'

    listed = api.get("/api/tables", {"names": in_csv})
    info = api.get(f"/api/tables/{quote(asked, safe='')}/connection")

    assert [table["columns"][0]["name"] for table in listed.json()["tables"]] == ["id"]
    assert info.json()["table_name"] == asked


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer ", "Basic YTpi", "Bearer mcp_aaaaaaaa_" + "b" * 43, "Bearer é", "mcp"],
)
def test_request_without_a_valid_key_is_refused(authorization: str) -> None:
    headers = {"authorization": authorization} if authorization else {}

    response = Client(headers=headers).get("/api/tables")

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith('Bearer realm="toolbuilder"')
    assert response.json()["error"] == "unauthorized"


@pytest.mark.parametrize("column", ["revoked_at", "expires_at"])
def test_key_that_is_no_longer_valid_is_refused(column: str) -> None:
    past: dict[str, Any] = {column: timezone.now() - timedelta(seconds=1)}
    token = make_token(**past)

    response = Client(headers={"authorization": f"Bearer {token}"}).get("/api/tags")

    assert response.status_code == 401


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        pytest.param("127.0.0.1", {}, 200, id="this machine"),
        pytest.param("::1", {}, 200, id="this machine, IPv6"),
        pytest.param("192.0.2.7", {}, 401, id="another machine"),
        pytest.param("", {}, 401, id="unknown machine"),
        pytest.param("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, 401, id="through a proxy"),
        pytest.param("127.0.0.1", {"Authorization": "Bearer no"}, 401, id="with a wrong key"),
    ],
)
def test_without_authentication_only_this_machine_is_let_in(
    settings: Any, address: str, headers: dict[str, str], status: int
) -> None:
    settings.MCP_AUTH = "none"
    make_shop()

    response = Client(REMOTE_ADDR=address).get("/api/tables", headers=headers)

    assert response.status_code == status


@pytest.mark.parametrize(
    ("address", "tool"),
    [
        ("/api/tables", "list_table_summaries"),
        ("/api/tags", "get_tags"),
        ("/api/tables/stores", "get_table_details"),
        ("/api/tables/stores/connection", "get_connection_info"),
    ],
)
def test_key_needs_the_tool_whose_answer_it_asks_for(address: str, tool: str) -> None:
    make_shop()
    having, lacking = (make_token(allowed_tools=[name]) for name in (tool, "other"))

    good = Client(headers={"authorization": f"Bearer {having}"}).get(address)
    bad = Client(headers={"authorization": f"bearer {lacking}"}).get(address)

    assert good.status_code == 200
    assert bad.status_code == 403
    assert bad.json()["message"] == (
        f"this API key does not have the tool {tool}; ask your administrator"
    )


def test_owner_of_the_key_decides_what_is_told(make_source: MakeSource) -> None:
    source = make_source("payroll", is_restricted=True)
    make_table("salaries", source=source)
    user = User.objects.create_user("kim")
    source.allowed_users.add(user)

    told = [
        Client(headers={"authorization": f"Bearer {make_token(owner=owner)}"}).get("/api/tables")
        for owner in (user, None)
    ]

    assert [response.json()["total"] for response in told] == [1, 0]


@pytest.mark.parametrize(
    ("address", "status", "error", "message"),
    [
        pytest.param(
            "/api/tables/storse", 404, "unknown_table", "did you mean stores", id="near name"
        ),
        pytest.param(
            "/api/tables?names=x,y", 404, "unknown_table", 'no table "y"', id="none known"
        ),
        pytest.param("/api/tables/storse/connection", 404, "unknown_table", "stores", id="no code"),
        pytest.param("/api/tabels", 404, "not_found", "there are /api/tables", id="no address"),
        pytest.param("/api/", 404, "not_found", "there are /api/tables", id="root"),
        pytest.param("/api/tables?names=", 400, "bad_request", "1 to 50 names", id="no names"),
        pytest.param(f"/api/tables?names={MANY}", 400, "bad_request", "1 to 50", id="many"),
        pytest.param("/api/tables?names=a&tag=b", 400, "bad_request", "together", id="both"),
        pytest.param("/api/tables?tga=b", 400, "bad_request", "'tga'", id="unknown parameter"),
        pytest.param("/api/tables/a%00b", 404, "unknown_table", "no table", id="NUL"),
        pytest.param("/api/tables/%ff", 404, "unknown_table", "no table", id="no UTF-8"),
    ],
)
def test_error_is_json_that_says_what_would_be_right(
    api: Client, address: str, status: int, *, error: str, message: str
) -> None:
    make_shop()

    response = api.get(address)

    assert response.status_code == status
    assert response.json().keys() == {"error", "message"}
    assert response.json()["error"] == error
    assert message in response.json()["message"]
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reads_are_answered(api: Client, method: str) -> None:
    response = api.generic(method, "/api/tables")

    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD"
    assert response.json()["error"] == "method_not_allowed"


def test_cross_site_checks_do_not_stand_in_the_way() -> None:
    make_shop()
    strict = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {make_token()}"})

    assert strict.get("/api/tags").status_code == 200
    assert strict.post("/api/tags").status_code == 405


@pytest.mark.parametrize(
    ("address", "noted"),
    [
        pytest.param("/api/tables?tag=マスタ", [("マスタ", 2)], id="tag"),
        pytest.param("/api/tables?names=stores,nix", [("stores, nix", 1)], id="names"),
        pytest.param("/api/tables/nix%00", [("nix", 0)], id="nothing found"),
        pytest.param("/api/tables", [], id="all"),
        pytest.param("/api/tags", [], id="tags"),
    ],
)
def test_searches_are_noted(api: Client, address: str, noted: list[tuple[str, int]]) -> None:
    make_shop()

    api.get(address)

    rows = CatalogQuery.objects.filter(surface="api", key_id=ApiKey.objects.get().key_id)
    assert list(rows.values_list("query", "result_count")) == noted
    assert CatalogQuery.objects.count() == len(noted)


NEVER_SCANNED = "the data catalogue is empty because no data source was scanned yet; try again"


@pytest.mark.parametrize(
    "address",
    ["/api/tables", "/api/tags", "/api/tables/stores", "/api/tables/stores/connection"],
    ids=str,
)
def test_catalogue_that_was_never_read_is_no_empty_success(api: Client, address: str) -> None:
    response = api.get(address)

    assert (response.status_code, response.json()["error"]) == (503, "not_ready")
    assert response.json()["message"].startswith(NEVER_SCANNED)


def test_scan_that_is_under_way_is_said(api: Client) -> None:
    CatalogScan.objects.create(state=ScanState.RUNNING)

    message = "the data catalogue is being built; try again in a few seconds"
    assert api.get("/api/tables").json()["message"] == message


def test_catalogue_without_tables_is_empty_after_a_scan(api: Client) -> None:
    CatalogScan.objects.create(state=ScanState.DONE)

    assert api.get("/api/tables").json()["tables"] == []
    assert api.get("/api/tags").json() == {"tags": []}


def test_use_of_the_key_is_noted_to_the_minute(api: Client, django_assert_num_queries: Any) -> None:
    make_shop()
    api.get("/api/tags")
    first = ApiKey.objects.get().last_used_at
    with django_assert_num_queries(3):
        api.get("/api/tags")

    assert first is not None
    assert ApiKey.objects.get().last_used_at == first


@pytest.mark.django_db(transaction=True)
def test_database_that_is_away_is_said_without_details(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses: list[Any] = []

    def ask() -> None:
        # In a thread of its own the request opens a connection, and finds nothing there.
        monkeypatch.setitem(database.settings_dict, "PORT", "9")
        response = api.get("/api/tables")
        statuses.append((response.status_code, response.json()))

    database.close()
    try:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    finally:
        monkeypatch.undo()

    assert statuses == [
        (
            503,
            {
                "error": "unavailable",
                "message": "the catalogue cannot be read now; try again later",
            },
        )
    ]
