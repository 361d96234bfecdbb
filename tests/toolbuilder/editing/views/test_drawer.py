"""The drawer of the list, in which what is served is tried."""

from collections.abc import Iterator

import pytest
from django.test import Client

from tests.factories import make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from tests.toolbuilder.editing.views.trials import COUNT, HTMX, INTEGER, row, run
from toolbuilder.models import ToolDraft
from tools.models import ToolDefinition
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _closed_sources() -> Iterator[None]:
    yield
    shared_loop().close()


def test_drawer_has_a_field_for_each_argument(admin: Client) -> None:
    make_tool(COUNT, name="count", parameters=[{**INTEGER, "description": "How <many>"}])

    answer = text_of(admin.get("/tools/count/try/", headers=HTMX))

    assert "data-open" in answer
    assert 'name="most-test"' in answer
    assert "How &lt;many&gt;" in answer


def test_drawer_runs_what_is_served_and_not_the_draft(admin: Client, count: ToolDefinition) -> None:
    run(admin, row("most", "2") | {"definition": "SELECT 'draft' AS n LIMIT :most"})

    response = run(admin, row("most", "4"), "try")

    assert response.context["trial"].row_count == 4
    assert text_of(response).count('id="result"') == 1
    assert ToolDraft.objects.get().document["definition"].startswith("SELECT 'draft'")


def test_drawer_remembers_the_last_values(admin: Client, count: ToolDefinition) -> None:
    run(admin, row("most", "42"), "try")

    assert 'value="42"' in text_of(admin.get("/tools/count/try/", headers=HTMX))


def test_list_of_choices_is_tried_with_several(admin: Client) -> None:
    regions = {
        "param_name": "regions",
        "param_type": "STRING_LIST",
        "allowed_values": ["Seoul", "Busan", "Jeju"],
    }
    make_tool("SELECT unnest(:regions)", name="count", parameters=[regions])

    answer = run(admin, row("regions", "Seoul\nJeju", type="STRING_LIST"), "try")

    assert answer.context["trial"].row_count == 2
    page = text_of(admin.get("/tools/count/try/", headers=HTMX))
    assert ">Seoul, Jeju</textarea>" in page


@pytest.mark.parametrize(
    ("part", "expected"), [("plan", "Limit"), ("csv", "\ufeffn\r\n1\r\n2\r\n")]
)
def test_drawer_gives_plan_and_file(
    admin: Client, count: ToolDefinition, part: str, expected: str
) -> None:
    response = run(admin, row("most", "2"), f"try/?part={part}&x=")

    assert expected in response.content.decode()


def test_drawer_is_a_page_without_javascript(admin: Client, count: ToolDefinition) -> None:
    response = admin.post("/tools/count/try/", row("most", "2"))

    assert "<!DOCTYPE html>" in text_of(response)
    assert "2 rows" in text_of(response)


def test_drawer_needs_the_right_to_change_tools(
    staff_with: StaffWith, count: ToolDefinition
) -> None:
    assert staff_with("view_tooldefinition").get("/tools/count/try/").status_code == 403


def test_drawer_of_no_tool_is_not_found(admin: Client) -> None:
    assert admin.get("/tools/nothing/try/").status_code == 404
