"""What people set up of an HTTP service: the hosts inside it may be at, and named secrets."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from access.audit.models import AuditEntry
from catalog.models import DataSource, ServiceSecret
from catalog.sources.connections import service_rules, to_service
from catalog.sources.services import find_allowable_host, list_secrets, make_service
from core.errors import ConfigurationError, EditError
from tests.catalog.sources.test_views import text_of

pytestmark = pytest.mark.django_db

URL = "http://crm.internal:8080/v1"
SECRET = "s3cr3t-tenant"


@pytest.fixture(autouse=True)
def _host_is_within_the_ceiling(settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["crm.internal:8080"]


@pytest.fixture
def crm() -> DataSource:
    return DataSource.objects.create(name="crm", engine="http", server_url=URL)


def test_host_within_the_ceiling_has_to_be_allowed_for_the_service(crm: DataSource) -> None:
    with pytest.raises(ConfigurationError, match=r"allow crm\.internal:8080 for this service"):
        to_service(crm)

    crm.allowed_hosts = find_allowable_host(crm)

    assert to_service(crm).server_url == URL


def test_host_that_was_allowed_ends_with_the_operators_setting(
    crm: DataSource, settings: Any
) -> None:
    crm.allowed_hosts = "crm.internal"
    settings.HTTP_ALLOWED_HOSTS = []

    assert not service_rules(crm).allows("crm.internal", 8080)
    with pytest.raises(ConfigurationError, match="in the setting HTTP_ALLOWED_HOSTS"):
        to_service(crm)


def test_new_service_says_which_field_is_wrong() -> None:
    with pytest.raises(EditError, match="name: Enter a valid"):
        make_service("no name", "https://api.example.com")


def test_button_of_its_page_allows_the_host(admin: Client, crm: DataSource) -> None:
    page = text_of(admin.get("/sources/crm/"))

    answer = admin.post("/sources/crm/allow-host/", follow=True)

    assert "Allow crm.internal:8080 for this service" in page
    assert "crm may be called at crm.internal:8080 now" in text_of(answer)
    assert DataSource.objects.get().allowed_hosts == "crm.internal:8080"


def test_form_takes_no_host_above_the_ceiling(admin: Client) -> None:
    given = {"name": "crm", "engine": "http", "server_url": URL, "allowed_hosts": "10.0.0.7"}

    answer = admin.post("/sources/~/add/", given)

    assert "10.0.0.7: not within the setting HTTP_ALLOWED_HOSTS" in text_of(answer)


def test_named_secret_is_sealed_and_never_shown(admin: Client, crm: DataSource) -> None:
    given = {"name": "tenant", "secret": SECRET}

    page = text_of(admin.post("/sources/crm/secrets/", given, follow=True))

    kept = ServiceSecret.objects.get()
    assert SECRET not in page + kept.secret
    assert "tenant" in page
    # The trail's triggers wait for the end of the transaction.
    connection.check_constraints()
    trail = AuditEntry.objects.filter(kind="h_data_source_secret").latest("number")
    assert (trail.target_name, (trail.after or {})["secret"]) == ("crm · tenant", "***")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param({"name": "No", "secret": SECRET}, "small letters", id="name"),
        pytest.param({"name": "a", "secret": "two\nlines"}, "printable ASCII", id="lines"),
        pytest.param({"name": "a", "secret": ""}, "printable ASCII", id="empty"),
    ],
)
def test_secret_that_no_header_holds_is_refused(
    admin: Client, crm: DataSource, given: dict[str, str], text: str
) -> None:
    page = text_of(admin.post("/sources/crm/secrets/", given, follow=True))

    assert text in page
    assert not ServiceSecret.objects.exists()


def test_secret_belongs_to_the_address_it_was_entered_for(admin: Client, crm: DataSource) -> None:
    admin.post("/sources/crm/secrets/", {"name": "tenant", "secret": SECRET})
    crm.server_url = "https://evil.example.com"

    assert to_service(crm).named_secrets == {}
    assert list_secrets(crm) == [("tenant", False)]


def test_removed_secret_is_gone(admin: Client, crm: DataSource) -> None:
    admin.post("/sources/crm/secrets/", {"name": "tenant", "secret": SECRET})

    admin.post("/sources/crm/secrets/tenant/remove/")

    assert not ServiceSecret.objects.exists()
