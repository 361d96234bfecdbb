"""The editor as a browser asks for it: the page, what typing saves, and whose draft it is."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from catalog.models import CatalogTable, McpServer, McpTool
from config.demo.loading import load_tools
from tests.factories import make_expression, make_tool, number
from tests.people import StaffWith
from tests.rendered import text_of
from tests.toolbuilder.editing.forms import read_fields
from toolbuilder.editing.drafts import open_draft
from toolbuilder.models import ToolDraft
from tools.definitions import MAX_PARAMETERS
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
HOSTILE = "</script><script>alert(1)</script>"
EDITORS = ("view_tooldefinition", "change_tooldefinition")
QUERY = "SELECT id FROM stock_level WHERE region = :region"


@pytest.fixture
def editor(staff_with: StaffWith) -> Client:
    return staff_with(*EDITORS)


@pytest.fixture
def sales(stock: CatalogTable) -> ToolDefinition:
    return make_tool(QUERY, name="sales", parameters=["region"])


def post(client: Client, address: str, **fields: Any) -> Any:
    given = {"revision": "0", "page_token": "tab-1", **fields}
    return client.post(address, given, headers=HTMX)


def told(response: Any) -> dict[str, Any]:
    """What the editor's script learns."""
    assert "tool:analysed" in json.loads(response.headers["HX-Trigger"])
    text = response.content.decode().partition('<script id="told" type="application/json">')[2]
    learnt: dict[str, Any] = json.loads(text.partition("</script>")[0])
    return learnt


def header_bytes(response: Any) -> int:
    return sum(len(f"{name}: {value}\r\n".encode()) for name, value in response.headers.items())


def test_page_shows_the_tool_and_what_the_database_says(
    editor: Client, sales: ToolDefinition
) -> None:
    response = editor.get("/tools/sales/")

    page = response.context["page"]
    assert response.status_code == 200
    assert [(row.name, row.is_used) for row in page.rows] == [("region", True)]
    assert page.examined.analysis.columns[0].name == "id"
    assert '"name": "sales"' in page.agent.entry
    assert not ToolDraft.objects.exists()


def test_page_that_nobody_touched_posts_what_is_served(editor: Client, db: None) -> None:
    load_tools()
    make_odd_tool()

    for tool in ToolDefinition.objects.all():
        page = editor.get(f"/tools/{tool.name}/")
        response = editor.post(
            f"/tools/{tool.name}/analyse/", read_fields(page.content.decode()), headers=HTMX
        )
        assert response.status_code == 200

    assert [draft.name for draft in ToolDraft.objects.all()] == []


def make_odd_tool() -> None:
    """Values as other programs write them."""
    make_tool(
        "\nSELECT :a, :b, :c, :d\n",
        name="odd",
        tags=["x", "y"],
        annotations={"readOnlyHint": True},
        parameters=[
            {"param_name": "a", "param_type": "ENUM", "allowed_values": ["1", "x y"], "example": "1"},
            {"param_name": "b", "param_type": "STRING_LIST", "is_required": False, "default": ["p, q", ""]},
            {"param_name": "c", "param_type": "INTEGER", "is_required": False, "default": 0, "minimum": "0"},
            {"param_name": "d", "binding": "FIXED", "bound_value": "two\nlines", "description": "x\ny"},
        ],
    )  # fmt: skip


def test_list_of_choices_takes_several_test_values(editor: Client) -> None:
    regions = {
        "param_name": "regions",
        "param_type": "STRING_LIST",
        "allowed_values": ["Seoul", "Busan"],
    }
    make_tool("SELECT unnest(:regions)", name="odd", parameters=[regions])

    page = text_of(editor.get("/tools/odd/"))

    assert '<textarea class="value" id="p-regions-test"' in page


def test_page_takes_a_fixed_number_of_queries(
    editor: Client, sales: ToolDefinition, django_assert_max_num_queries: Any
) -> None:
    make_tool("SELECT :a, :b, :c", name="more", parameters=["a", "b", "c"])
    editor.get("/tools/sales/")

    with django_assert_max_num_queries(21):
        editor.get("/tools/more/")


def test_analysis_takes_a_fixed_number_of_queries(
    editor: Client, sales: ToolDefinition, django_assert_max_num_queries: Any
) -> None:
    make_tool("SELECT :a, :b", name="sale", parameters=["a", "b"])
    post(editor, "/tools/sales/analyse/", definition="SELECT :a")

    with django_assert_max_num_queries(19):
        answer = post(editor, "/tools/sales/analyse/", definition="SELECT :a, :b", revision=2)

    assert answer.status_code == 200


def test_people_who_may_not_change_read_the_tool(
    staff_with: StaffWith, sales: ToolDefinition
) -> None:
    reader = staff_with("view_tooldefinition")

    assert "toolbuilder/listing/tool.html" in [
        t.name for t in reader.get("/tools/sales/").templates
    ]
    assert post(reader, "/tools/sales/analyse/").status_code == 403


def test_typing_saves_and_brings_rows_in_step(editor: Client, sales: ToolDefinition) -> None:
    response = post(
        editor,
        "/tools/sales/analyse/",
        definition="SELECT id FROM stock_level WHERE region = :region AND day >= :since",
    )

    saved = ToolDraft.objects.get().document
    assert [one["param_name"] for one in saved["parameters"]] == ["region", "since"]
    assert saved["parameters"][1]["param_type"] == "DATE"
    assert told(response)["analysis"]["is_valid"]
    assert told(response)["parameters"][1]["name"] == "since"
    assert 'name="since-type"' in text_of(response)
    assert ToolDefinition.objects.get().definition == QUERY


def test_error_is_told_with_its_place_and_its_fix(editor: Client, sales: ToolDefinition) -> None:
    response = post(editor, "/tools/sales/analyse/", definition="SELECT regio FROM stock_level")

    (found,) = [one for one in told(response)["analysis"]["diagnostics"] if one["fix"]]
    assert (found["from"], found["to"]) == (7, 12)
    assert found["fix"]["insert"] == "stock_level.region"


def test_offsets_count_the_text_that_the_editor_has(editor: Client, sales: ToolDefinition) -> None:
    response = post(
        editor, "/tools/sales/analyse/", definition="-- 🙂\r\nSELECT regio\r\nFROM stock_level"
    )

    assert told(response)["analysis"]["diagnostics"][0]["from"] == len("-- xx\nSELECT ")


def test_large_analysis_fits_behind_a_proxy(editor: Client, sales: ToolDefinition) -> None:
    names = [f"parameter_{number}" for number in range(150)]
    listed = ", ".join(f":{name}" for name in names)
    descriptions = {f"{name}-description": "설명" * 100 for name in names}
    fields = {"parameter": names, **descriptions, **{f"{name}-name": name for name in names}}

    response = post(editor, "/tools/sales/analyse/", definition=f"SELECT {listed}" * 20, **fields)

    assert told(response)["parameters"][149]["description"] == "설명" * 100
    # nginx takes 4 KiB of headers unless it is told otherwise.
    assert header_bytes(response) < 3_000


def test_same_page_saves_on_after_a_lost_answer(editor: Client, sales: ToolDefinition) -> None:
    post(editor, "/tools/sales/analyse/", title="a")

    assert post(editor, "/tools/sales/analyse/", title="b").status_code == 200
    assert ToolDraft.objects.get().document["title"] == "b"


def test_stale_page_is_told_what_is_different(editor: Client, sales: ToolDefinition) -> None:
    post(editor, "/tools/sales/analyse/", title="first tab")

    response = post(editor, "/tools/sales/analyse/", title="second tab", page_token="tab-2")

    assert response.status_code == 409
    assert "first tab" in text_of(response)
    assert ToolDraft.objects.get().document["title"] == "first tab"


def test_draft_of_another_person_is_read_and_taken_over(
    editor: Client, sales: ToolDefinition
) -> None:
    open_draft(sales, "ann")

    assert not editor.get("/tools/sales/").context["is_mine"]
    assert post(editor, "/tools/sales/analyse/", title="x", revision="1").status_code == 409
    taken = post(editor, "/tools/sales/take-over/")

    assert taken.headers["HX-Redirect"] == "/tools/sales/"
    assert editor.get("/tools/sales/").context["is_mine"]


def test_discarded_draft_leaves_what_is_served(editor: Client, sales: ToolDefinition) -> None:
    post(editor, "/tools/sales/analyse/", title="x")

    post(editor, "/tools/sales/discard/", revision=ToolDraft.objects.get().revision)

    assert not ToolDraft.objects.exists()
    assert editor.get("/tools/sales/").context["page"].document.tool.title == ""


def test_new_tool_is_edited_by_whoever_may_add(staff_with: StaffWith) -> None:
    draft = open_draft(None, "ann")
    address = f"/tools/~/drafts/{draft.uid}/"

    adder = staff_with("view_tooldefinition", "add_tooldefinition")
    assert adder.get(address).status_code == 200
    User.objects.get().user_permissions.set(Permission.objects.filter(codename__in=EDITORS))
    assert adder.get(address).status_code == 403


def test_hostile_texts_are_shown_as_text(editor: Client, sales: ToolDefinition) -> None:
    tool = make_expression(
        "a",
        name="hostile",
        title=HOSTILE,
        description_agent=HOSTILE,
        parameters=[{"param_name": "a", "description": HOSTILE, "default": HOSTILE, "is_required": False}],
        tags=[HOSTILE],
    )  # fmt: skip

    assert HOSTILE not in text_of(editor.get(f"/tools/{tool.name}/"))
    assert HOSTILE not in text_of(post(editor, "/tools/hostile/analyse/", definition=HOSTILE))


def test_form_that_cannot_be_kept_is_refused(editor: Client, sales: ToolDefinition) -> None:
    response = post(editor, "/tools/sales/analyse/", definition="SELECT '\0'")

    assert response.status_code == 422
    assert not ToolDraft.objects.exists()


def test_tool_with_as_many_parameters_as_it_may_have_is_edited(editor: Client) -> None:
    names = [f"p{place}" for place in range(MAX_PARAMETERS)]
    total = " + ".join(names)
    make_expression(total, name="wide", parameters=[number(name) for name in names])
    page = editor.get("/tools/wide/")

    fields = read_fields(page.content.decode()) | {"title": ["changed"]}
    response = editor.post("/tools/wide/analyse/", fields, headers=HTMX)

    assert response.status_code == 200
    assert [one["name"] for one in told(response)["parameters"]] == names
    document = ToolDraft.objects.get().document
    assert (document["title"], len(document["parameters"])) == ("changed", MAX_PARAMETERS)


def test_page_saves_without_javascript(editor: Client, sales: ToolDefinition) -> None:
    response = editor.post("/tools/sales/", {"revision": "0", "title": "plain"})

    assert response.status_code == 200
    assert ToolDraft.objects.get().document["title"] == "plain"


def test_data_source_that_is_away_leaves_the_editor_at_work(
    editor: Client, sales: ToolDefinition, settings: Any
) -> None:
    settings.POSTGRESQL_DB_PORT = 1

    response = post(editor, "/tools/sales/analyse/", title="x")

    assert response.status_code == 200
    assert ToolDraft.objects.get().document["title"] == "x"


def test_name_of_a_built_in_or_proxied_tool_leads_to_what_there_is_of_it(
    editor: Client, db: None
) -> None:
    server = McpServer.objects.create(name="weather", server_url="https://mcp.example.com/mcp")
    McpTool.objects.create(server=server, name="forecast", seen={}, accepted={}, is_active=True)

    assert editor.get("/tools/get_tags/")["Location"] == "/help/reference/builtin-tools/"
    assert editor.get("/tools/weather_forecast/")["Location"] == "/tools/~/mcp/weather/"
    assert editor.get("/tools/weather_other/").status_code == 404


def test_tool_that_is_not_there_is_not_found(editor: Client, admin_user: User) -> None:
    assert editor.get("/tools/nothing/").status_code == 404
