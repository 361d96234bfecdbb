"""The admin page makes tools, and refuses those that could not be served."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config.services.postgres import EmbeddedPostgres
from core.cases.documents import read_case
from tests.factories import make_expression, make_tool, make_toolset
from toolbuilder.cases.rows import save_case
from tools.models import QuarantinedTool, RegistryRevision, ToolDefinition

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client: Client, embedded_postgres: EmbeddedPostgres) -> Client:
    client.force_login(User.objects.create_superuser("admin"))
    return client


def form(
    definition: str, kind: str = "SQL", *parameters: dict[str, Any], **columns: Any
) -> dict[str, Any]:
    """The fields of the admin's form, as a browser posts them."""
    data: dict[str, Any] = {
        "name": "made_here",
        "description_agent": "Made here.",
        "description_user": "",
        "is_active": "on",
        "tool_type": kind,
        "definition": definition,
        "result_format": "JSON",
        "record_arguments": "full",
        "row_limit": 10,
        "byte_limit": 1_000,
        "timeout_ms": 1_000,
        "annotations": "{}",
        "tags": "[]",
        "parameters-TOTAL_FORMS": len(parameters),
        "parameters-INITIAL_FORMS": 0,
        **columns,
    }
    for index, parameter in enumerate(parameters):
        row = {
            "param_type": "STRING",
            "is_required": "on",
            "position": 0,
            "allowed_values": "[]",
            "binding": "AGENT",
            **parameter,
        }
        data |= {f"parameters-{index}-{name}": value for name, value in row.items()}
    return data


ADD = "/admin/tools/tooldefinition/add/"


def test_tool_with_a_parameter_is_saved(admin: Client) -> None:
    before = RegistryRevision.current()

    response = admin.post(ADD, form("SELECT :who AS who", "SQL", {"param_name": "who"}))

    assert response.status_code == 302
    tool = ToolDefinition.objects.get()
    assert [parameter.param_name for parameter in tool.parameters.all()] == ["who"]
    assert RegistryRevision.current() > before


def test_bound_parameter_is_saved(admin: Client) -> None:
    row = {"param_name": "tenant", "binding": "CLAIM", "bound_value": '"tenant"'}

    response = admin.post(ADD, form("SELECT :tenant AS tenant", "SQL", row))

    parameter = ToolDefinition.objects.get().parameters.get()
    assert response.status_code == 302
    assert (parameter.binding, parameter.bound_value) == ("CLAIM", "tenant")


def test_user_who_makes_and_who_saves_a_tool_is_noted(admin: Client, client: Client) -> None:
    admin.post(ADD, form("SELECT 1 AS one", created_by="somebody else"))
    tool = ToolDefinition.objects.get()
    assert (tool.created_by, tool.updated_by) == ("admin", "admin")
    client.force_login(User.objects.create_superuser("second"))

    client.post(f"/admin/tools/tooldefinition/{tool.pk}/change/", form("SELECT 2 AS two"))

    tool.refresh_from_db()
    assert tool.definition == "SELECT 2 AS two"
    assert (tool.created_by, tool.updated_by) == ("admin", "second")


def test_renamed_tool_stays_in_its_toolset(admin: Client) -> None:
    admin.post(ADD, form("SELECT 1 AS one"))
    tool, toolset = ToolDefinition.objects.get(), make_toolset("kr", "made_here")

    posted = form("SELECT 1 AS one", name="renamed_here")
    admin.post(f"/admin/tools/tooldefinition/{tool.pk}/change/", posted)

    assert [row.tool_name for row in toolset.tools.all()] == ["renamed_here"]


@pytest.mark.parametrize(
    ("posted", "message"),
    [
        pytest.param(
            form("SELECT 1; SELECT 2"), "only one statement is allowed", id="two commands"
        ),
        pytest.param(form("DELETE FROM users"), "this is DELETE", id="a write"),
        pytest.param(form("SELECT :a AS a"), "uses a, which is not declared", id="undeclared"),
        pytest.param(form("SELECT nothing FROM nowhere"), "nowhere", id="what the database says"),
        pytest.param(form("open('x')", "PYTHON"), "open", id="expression"),
        pytest.param(
            form("SELECT :a AS a", "SQL", {"param_name": "a", "default": "1"}),
            "a required parameter has no default",
            id="required with a default",
        ),
        pytest.param(
            form("SELECT :a AS a", "SQL", {"param_name": "a", "binding": "CLAIM"}),
            "CLAIM needs the claim&#x27;s name",
            id="claim without a name",
        ),
        pytest.param(
            form("SELECT :a AS a", "SQL", {"param_name": "a", "binding": "HEADER"}),
            "HEADER is not one of the available choices",
            id="unknown binding",
        ),
        pytest.param(
            form("SELECT 1", annotations='{"readonly": true}'), "unknown readonly", id="annotation"
        ),
    ],
)
def test_tool_that_cannot_be_served_is_refused_and_the_form_kept(
    admin: Client, posted: dict[str, Any], message: str
) -> None:
    response = admin.post(ADD, posted)

    page = response.content.decode()
    assert response.status_code == 200
    assert message in page
    assert "made_here" in page
    assert not ToolDefinition.objects.exists()


def test_red_case_is_refused_with_the_way_to_the_editor(admin: Client) -> None:
    tool = make_tool("SELECT 1 AS one", name="made_here")
    one = {"check": "value", "path": "$[0].one", "value": 1}
    save_case(tool, None, read_case({"name": "it is one", "expects": [one]}, "case"), "ann")
    change = f"/admin/tools/tooldefinition/{tool.pk}/change/"

    refused = admin.post(change, form("SELECT 2 AS one")).content.decode()

    assert "1 of 1 cases is red: it is one. Expected $[0].one = 1; got 2." in refused
    assert '<a href="/tools/made_here/">Only the editor publishes although' in refused
    tool.refresh_from_db()
    assert tool.definition == "SELECT 1 AS one"
    assert admin.post(change, form("SELECT 1 AS one, 2 AS two")).status_code == 302


def test_list_shows_why_a_tool_is_not_served(admin: Client) -> None:
    QuarantinedTool.objects.create(tool=make_tool(name="broken"), reason="no such table")
    make_expression(name="fine")

    page = admin.get("/admin/tools/tooldefinition/").content.decode()

    assert "quarantined: no such table" in page
    assert "served" in page


def test_list_needs_a_fixed_number_of_queries(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        make_expression(name=f"tool_{number:02}")

    with django_assert_max_num_queries(9):
        admin.get("/admin/tools/tooldefinition/")


@pytest.mark.parametrize(
    ("choice", "listed"),
    [pytest.param("1", "is_on", id="active"), pytest.param("0", "is_off", id="inactive")],
)
def test_list_is_filtered_by_active(admin: Client, choice: str, listed: str) -> None:
    make_expression(name="is_on")
    make_expression(name="is_off", is_active=False)

    response = admin.get(f"/admin/tools/tooldefinition/?is_active__exact={choice}")

    assert [tool.name for tool in response.context["cl"].result_list] == [listed]


@pytest.mark.parametrize("page", ["access/apikey", "catalog/datasource", "tools/tooldefinition"])
def test_form_of_a_new_row_shows_no_value_of_the_database(admin: Client, page: str) -> None:
    assert "DatabaseDefault" not in admin.get(f"/admin/{page}/add/").content.decode()


def test_action_deactivates_tools(admin: Client) -> None:
    tool = make_tool()

    admin.post(
        "/admin/tools/tooldefinition/",
        {"action": "deactivate", "_selected_action": [tool.pk]},
    )

    tool.refresh_from_db()
    assert (tool.is_active, tool.updated_by) == (False, "admin")


def test_names_and_results_are_escaped(admin: Client) -> None:
    make_tool(name="<script>alert(1)</script>")

    assert "<script>alert(1)" not in admin.get("/admin/tools/tooldefinition/").content.decode()


@pytest.mark.parametrize(
    "page",
    [
        "access/apikey",
        "access/callrecord",
        "access/runtimeinstance",
        "catalog/datasource",
        "tools/tooldefinition",
    ],
)
def test_every_list_opens(admin: Client, page: str) -> None:
    assert admin.get(f"/admin/{page}/").status_code == 200


def test_new_key_shows_its_token_once(admin: Client) -> None:
    response = admin.post(
        "/admin/access/apikey/add/", {"name": "agent", "allowed_tools": '["*"]'}, follow=True
    )

    assert b"mcp_" in response.content
    assert b"mcp_" not in admin.get("/admin/access/apikey/").content
