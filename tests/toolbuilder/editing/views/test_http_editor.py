"""HTTP tools in the editor, as a browser asks for them."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from catalog.models import Authentication, DataSource, ServiceOperation
from gateways.http.kind import HTTP
from tests.factories import make_tool
from tests.rendered import text_of
from tests.toolbuilder.editing.views.trials import HTMX
from toolbuilder.editing.drafts import DraftDocument, read_draft
from toolbuilder.models import ToolDraft
from toolbuilder.taking_up.ingesting import read_openapi_text
from toolbuilder.taking_up.operations import keep_operations
from tools.models import ToolDefinition, ToolType

pytestmark = pytest.mark.django_db

FORM = {
    "page_token": "page-1",
    "tool_type": "HTTP",
    "service": "weather",
    "http-method": "GET",
    "http-path": "/forecast/{city}",
    "http-query-name": ["days", "units"],
    "http-query-value": ["{days}", "metric"],
}


@pytest.fixture
def weather(settings: Any) -> DataSource:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    return DataSource.objects.create(
        name="weather",
        engine=HTTP.name,
        server_url="http://127.0.0.1:9/v1",
        allowed_hosts="127.0.0.1:9",
    )


@pytest.fixture
def forecast(weather: DataSource) -> ToolDefinition:
    definition = json.dumps({"method": "get", "path": "/now"})
    return make_tool(definition, name="forecast", tool_type=ToolType.HTTP, data_source=weather)


def only_draft() -> DraftDocument:
    return read_draft(ToolDraft.objects.get())


def analyse(admin: Client, **fields: Any) -> Any:
    return admin.post("/tools/forecast/analyse/", FORM | fields, headers=HTMX)


def test_tool_is_opened_in_the_editor(admin: Client, forecast: ToolDefinition) -> None:
    page = text_of(admin.get("/tools/forecast/"))

    assert 'name="http-path" value="/now"' in page
    assert "http://127.0.0.1:9/v1" in page
    assert "back office" not in page.partition("<main")[2]


def test_page_of_a_service_that_cannot_be_is_shown(admin: Client, forecast: ToolDefinition) -> None:
    analyse(admin, service="no such one")

    assert "#secrets" not in text_of(admin.get("/tools/forecast/"))


def test_request_is_saved_and_brings_its_parameters(
    admin: Client, forecast: ToolDefinition
) -> None:
    response = analyse(admin)

    tool = only_draft().tool
    assert (tool.tool_type, tool.data_source) == ("HTTP", "weather")
    assert json.loads(tool.definition)["values"] == [
        {"name": "days", "in": "query", "value": "{days}"},
        {"name": "units", "in": "query", "value": "metric"},
    ]
    assert [row.param_name for row in tool.parameters] == ["city", "days"]
    assert '<span data-name="days">always</span>' in text_of(response)


@pytest.mark.parametrize(
    ("fields", "part", "text"),
    [
        pytest.param({"http-path": "now"}, "path", "it has to begin with /", id="path"),
        pytest.param(
            {"http-body-kind": "json", "http-body": "{,}"},
            "body",
            "the body is not JSON",
            id="body",
        ),
        pytest.param(
            {"http-header-name": "Host", "http-header-value": "x"}, "headers", "Host", id="header"
        ),
        pytest.param(
            {"http-keep-kind": "path", "http-keep-path": "a b"}, "keep", "is no path", id="keep"
        ),
        pytest.param(
            {"http-method": "POST", "http-retries": "2"}, "retries", "may change", id="retries"
        ),
    ],
)
def test_fault_stands_at_its_part(
    admin: Client, forecast: ToolDefinition, fields: dict[str, str], *, part: str, text: str
) -> None:
    page = text_of(analyse(admin, **fields))

    shown = page.partition(f'hx-target="#http-fault-{part}"')[2].partition("</hx-partial>")[0]
    assert text in shown


def test_tool_without_a_service_is_told_so(admin: Client, forecast: ToolDefinition) -> None:
    assert "choose the HTTP service" in text_of(analyse(admin, service=""))


def test_request_that_writes_is_sent_only_after_a_yes(
    admin: Client, forecast: ToolDefinition
) -> None:
    form = FORM | {"http-method": "DELETE", "http-path": "/now", "http-query-name": []}

    asked = admin.post("/tools/forecast/test/", form, headers=HTMX)
    sent = admin.post("/tools/forecast/test/", form | {"confirmed": "write"}, headers=HTMX)

    assert "DELETE may change something at weather" in text_of(asked)
    assert 'name="confirmed" value="write"' in text_of(asked)
    assert "the service cannot be reached" in text_of(sent)


def test_curl_command_becomes_a_tool_and_its_secret_the_services(
    admin: Client, settings: Any
) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    command = "curl 'http://127.0.0.1:9/v1/forecast/Seoul?days=3' -H 'Authorization: Bearer s3cr3t-s3cr3t'"

    form = {"curl": command, "service": "weather", "allow_host": "127.0.0.1:9"}
    response = admin.post("/tools/~/from-curl/", form)

    service, document = DataSource.objects.get(name="weather"), only_draft()
    assert response.status_code == 302
    assert (service.server_url, service.authentication) == (
        "http://127.0.0.1:9",
        Authentication.BEARER,
    )
    assert service.password
    assert document.test_values == {"days": 3}
    assert (document.tool.name, document.tool.data_source) == ("get_forecast_seoul", "weather")
    assert "s3cr3t" not in json.dumps(document.to_document()) + service.password


def test_curl_command_to_a_refused_address_names_the_setting(admin: Client) -> None:
    response = admin.post("/tools/~/from-curl/", {"curl": "curl http://10.0.0.7/x"})

    assert response.status_code == 422
    assert "name 10.0.0.7:80 in the setting HTTP_ALLOWED_HOSTS" in text_of(response)
    assert "server_url" not in text_of(response)
    assert not DataSource.objects.filter(engine=HTTP.name).exists()


def test_refused_command_stays_in_its_field_and_nowhere_else(admin: Client, settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["10.0.0.7"]
    command = "curl http://10.0.0.7/x -H 'Authorization: Bearer s3cr3t'"

    response = admin.post("/tools/~/from-curl/", {"curl": command, "service": "crm"})

    assert escape(command) in text_of(response)
    assert 'name="allow_host" value="10.0.0.7:80"' in text_of(response)
    assert "no-store" in response["Cache-Control"]
    assert not ToolDraft.objects.exists()


def test_trial_at_a_host_that_is_not_allowed_yet_offers_to_allow_it(
    admin: Client, weather: DataSource, forecast: ToolDefinition
) -> None:
    DataSource.objects.update(allowed_hosts="")
    form = FORM | {"http-path": "/now", "http-query-name": []}

    refused = admin.post("/tools/forecast/test/", form, headers=HTMX)
    allowed = admin.post("/sources/weather/allow-host/", headers=HTMX)
    tried = admin.post("/tools/forecast/test/", form, headers=HTMX)

    assert "Allow 127.0.0.1:9 for this service" in text_of(refused)
    assert "may be called at 127.0.0.1:9 now" in text_of(allowed)
    assert "the service cannot be reached" in text_of(tried)


OPENAPI = """
openapi: 3.0.0
info: {title: Weather, version: "1"}
paths:
  /now/{city}:
    get:
      tags: [Forecast]
      operationId: now
      summary: The weather now
      parameters: [{name: city, in: path, required: true, schema: {type: string}}]
    delete: {tags: [Forecast], operationId: forget, summary: Forget it}
  /places: {get: {operationId: places, summary: Places}}
"""


@pytest.fixture
def operations(weather: DataSource) -> None:
    keep_operations(weather, read_openapi_text(OPENAPI).operations)


@pytest.mark.usefixtures("operations")
def test_operations_of_the_document_stand_beside_the_request(
    admin: Client, forecast: ToolDefinition
) -> None:
    page = text_of(admin.get("/tools/forecast/"))

    assert page.count('class="http-operation"') == 3
    assert "1 read, 1 write" in " ".join(page.split())


@pytest.mark.usefixtures("operations")
def test_chosen_operation_fills_the_tool_and_keeps_what_people_wrote(
    admin: Client, forecast: ToolDefinition
) -> None:
    chosen = ServiceOperation.objects.get(method="get", path="/now/{city}")
    form = FORM | {"description_agent": "Mine.", "title": "", "operation": chosen.pk}

    response = admin.post("/tools/forecast/operation/", form)

    tool = only_draft().tool
    assert response["Location"] == "/tools/forecast/"
    assert json.loads(tool.definition)["path"] == "/now/{city}"
    assert [row.param_name for row in tool.parameters] == ["city"]
    assert (tool.name, tool.title, tool.description_agent) == (
        "forecast",
        "The weather now",
        "Mine.",
    )


def test_header_names_a_secret_that_the_service_has(
    admin: Client, weather: DataSource, forecast: ToolDefinition
) -> None:
    header = {"http-header-name": ["X-Tenant"], "http-header-value": ["Key {secret:tenant}"]}

    before = text_of(analyse(admin, **header))
    admin.post("/sources/weather/secrets/", {"name": "tenant", "secret": "hunter2-hunter2"})
    after = text_of(analyse(admin, **header))

    assert "the service has no secret tenant" in before
    assert "the service has no secret" not in after
    assert json.loads(only_draft().tool.definition)["values"][-1] == {
        "name": "X-Tenant",
        "in": "header",
        "value": "Key {secret:tenant}",
    }
