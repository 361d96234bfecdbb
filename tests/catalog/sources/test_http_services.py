"""Rows of the engine HTTP: their form, their credentials, and what may be called."""

from typing import Any

import pytest
from django.test import Client

from catalog.models import CheckState, DataSource
from catalog.sources.checking import check_sources, state_of
from catalog.sources.connections import to_service
from catalog.sources.settings import find_refusal, find_service_refusal, read_sources
from core.errors import ConfigurationError
from core.ingest.addresses import AddressRules
from gateways.http.kind import inspect_service
from gateways.http.settings import ClientCredentials, HttpSettings
from tests.catalog.conftest import MakeSource
from tests.catalog.sources.pages import SECRET, form
from tests.catalog.sources.test_views import SALES, text_of
from tests.http_service import answering, running

pytestmark = pytest.mark.django_db

ADD = "/sources/~/add/"
URL = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _local_host_is_allowed(settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1:9"]


CLIENT = {
    "authentication": "client_credentials",
    "username": "agents",
    "token_url": f"{URL}/token?audience=pets",
    "token_scope": "pets.read",
}


def service(**columns: Any) -> DataSource:
    """An unsaved row of a service."""
    given = {"name": "pets", "engine": "http", "server_url": URL, "allowed_hosts": "127.0.0.1:9"}
    return DataSource(**given | columns)


def test_key_that_is_escaped_already_is_refused(admin: Client) -> None:
    given = {
        "name": "air",
        "engine": "http",
        "server_url": URL,
        "allowed_hosts": "127.0.0.1:9",
        "authentication": "query",
        "authentication_name": "serviceKey",
    }

    answer = admin.post(ADD, form(**given, new_password="ab%2Bcd%3D%3D"))

    assert answer.status_code == 422
    assert "This key is escaped already." in text_of(answer)
    assert admin.post(ADD, form(**given, new_password="ab+cd==")).status_code == 302


@pytest.mark.parametrize(
    ("columns", "headers", "query"),
    [
        pytest.param({}, (), (), id="nothing"),
        pytest.param(
            {"authentication": "bearer"}, (("Authorization", f"Bearer {SECRET}"),), (), id="bearer"
        ),
        pytest.param(
            {"authentication": "basic", "username": "ann"},
            (("Authorization", "Basic YW5uOmh1bnRlcjI="),),
            (),
            id="basic",
        ),
        pytest.param(
            {"authentication": "header", "authentication_name": "X-API-Key"},
            (("X-API-Key", SECRET),),
            (),
            id="header",
        ),
        pytest.param(
            {"authentication": "query", "authentication_name": "key"},
            (),
            (("key", SECRET),),
            id="query",
        ),
    ],
)
def test_secret_goes_where_the_row_says(
    monkeypatch: pytest.MonkeyPatch, columns: dict[str, str], headers: Any, query: Any
) -> None:
    monkeypatch.setenv("PETS", SECRET)

    found = to_service(service(password_reference="env:PETS", **columns))

    assert (found.headers, found.query) == (headers, query)
    assert SECRET not in repr(found)


def test_secret_of_a_client_goes_to_the_server_of_tokens_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PETS", SECRET)

    found = to_service(service(password_reference="env:PETS", **CLIENT))

    assert (found.headers, found.query) == ((), ())
    assert found.client == ClientCredentials(
        token_url=f"{URL}/token?audience=pets", client_id="agents", secret=SECRET, scope="pets.read"
    )
    assert SECRET not in repr(found)


def test_stored_secret_of_a_client_belongs_to_its_token_url(admin: Client) -> None:
    given = {
        "name": "pets",
        "engine": "http",
        "server_url": URL,
        "allowed_hosts": "127.0.0.1:9",
        **CLIENT,
    }
    admin.post(ADD, form(**given, new_password=SECRET))
    source = DataSource.objects.get()
    before = to_service(source).client

    moved = given | {"token_url": f"{URL}/other", "revision": source.updated_at.isoformat()}
    answer = admin.post("/sources/pets/edit/", form(**moved))
    DataSource.objects.update(token_url=f"{URL}/other")

    assert before is not None
    assert before.secret == SECRET
    assert "Enter the password again" in text_of(answer)
    with pytest.raises(ConfigurationError):
        to_service(DataSource.objects.get())


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        pytest.param({"server_url": ""}, "needs this", id="no address"),
        pytest.param({"server_url": "http://127.0.0.1:8"}, "begin with https", id="other port"),
        pytest.param({"server_url": "https://169.254.169.254"}, "link-local", id="metadata"),
        pytest.param({"server_url": f"{URL}?a=1"}, "end before a \\?", id="query"),
        pytest.param({"host": "db"}, "has no use for this", id="host"),
        pytest.param({"authentication": "header"}, "needs this", id="no name"),
        pytest.param({"authentication": "bearer"}, "secret of the service is missing", id="secret"),
        pytest.param({"authentication": "magic"}, "not a valid choice", id="unknown"),
        pytest.param({"authentication": "client_credentials"}, "token_url: .* this", id="no URL"),
        pytest.param({"token_url": f"{URL}/token"}, "has no use for this", id="URL of no token"),
        pytest.param(
            CLIENT | {"token_url": "http://10.0.0.1/token", "password_reference": "env:HOME"},
            "the token URL cannot be called",
            id="inner URL",
        ),
    ],
)
def test_row_that_cannot_be_called_is_explained(columns: dict[str, str], text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        to_service(service(**columns))


def test_secret_with_a_line_end_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PETS", f"{SECRET}\r\nX-Admin: 1")

    with pytest.raises(ConfigurationError, match="printable ASCII") as error:
        to_service(service(authentication="bearer", password_reference="env:PETS"))

    assert SECRET not in str(error.value)


def test_services_and_databases_are_not_taken_for_one_another() -> None:
    service().save()
    sources = read_sources()

    assert find_service_refusal(sources, "pets", "ann") is None
    assert "no data source 'pets'" in str(find_refusal(sources, "pets", "ann"))
    assert "no HTTP service" in str(find_service_refusal(sources, None, "ann"))


def test_restricted_service_is_for_those_named() -> None:
    service(is_restricted=True).save()

    assert "may not use" in str(find_service_refusal(read_sources(), "pets", "ann"))


def test_form_saves_a_service_and_keeps_its_secret(admin: Client) -> None:
    answer = admin.post(
        ADD,
        form(
            engine="http",
            server_url=URL,
            allowed_hosts="127.0.0.1:9",
            authentication="bearer",
            secret=SECRET,
        ),
        follow=True,
    )

    assert answer.redirect_chain[0][0] == SALES
    row = DataSource.objects.get()
    assert SECRET not in row.password
    assert to_service(row).headers == (("Authorization", f"Bearer {SECRET}"),)
    assert SECRET not in text_of(answer)


def test_stored_secret_is_for_its_address_only(make_source: MakeSource) -> None:
    columns = {"engine": "http", "host": "", "database": "", "username": "", "server_url": URL}
    columns["allowed_hosts"] = "127.0.0.1:9"
    row = make_source(secret=SECRET, authentication="bearer", **columns)
    row.server_url = "https://evil.example.com"

    with pytest.raises(ConfigurationError, match="enter it again"):
        to_service(row)


@pytest.mark.parametrize(
    ("hosts", "state"),
    [
        pytest.param(["127.0.0.1:9"], CheckState.UNREACHABLE, id="nobody listens"),
        pytest.param([], CheckState.UNREACHABLE, id="no longer allowed"),
    ],
)
def test_check_judges_the_address(settings: Any, hosts: list[str], state: CheckState) -> None:
    row = service()
    row.save()
    settings.HTTP_ALLOWED_HOSTS = hosts

    (check,) = check_sources([row])

    assert check.state == state


@pytest.mark.parametrize(
    ("status", "state", "text"),
    [
        pytest.param(
            "404 Not Found", CheckState.OK, "The service answers (HTTP 404)", id="answers"
        ),
        pytest.param("401 No", CheckState.WARNING, "refuses the secret, or wants one", id="secret"),
        pytest.param("503 No", CheckState.WARNING, "tools fail while it does", id="failing"),
    ],
)
async def test_check_asks_the_service(status: str, state: CheckState, text: str) -> None:
    rules = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
    async with running(answering(b"{}", status=status)) as local:
        report = await inspect_service(HttpSettings(server_url=local.url, rules=rules))

    assert state_of(report) == state
    assert text in report.findings[-1].text
    assert [request.target for request in local.received] == ["/v1"]


async def test_check_says_why_there_is_no_token() -> None:
    rules = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
    refusal = answering(b'{"error": "invalid_client"}', status="401 No")
    async with running(refusal) as local:
        client = ClientCredentials(token_url=f"{local.url}/token", client_id="a", secret=SECRET)
        settings = HttpSettings(server_url=local.url, rules=rules, client=client)
        report = await inspect_service(settings)

    assert state_of(report) == CheckState.UNREACHABLE
    assert "No access token: the token URL of the service says invalid_client" in str(
        report.findings[-1].text
    )
