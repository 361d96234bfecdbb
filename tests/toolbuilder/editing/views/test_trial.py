"""Test runs as a browser asks for them in the editor."""

import json
import threading
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from access.keys import issue_key
from access.models import ApiKey
from config.services.postgres import EmbeddedPostgres
from tests.factories import claim, make_expression, make_tool, number
from tests.people import StaffWith
from tests.rendered import text_of
from tests.toolbuilder.editing.views.trials import HTMX, row, run
from tests.waiting import LIMIT_S, wait_until
from toolbuilder.editing.drafts import open_draft
from toolbuilder.models import ToolDraft, ToolTrial
from tools.models import ToolDefinition
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 9 + 1 FROM n) SELECT max(i) FROM n"
RUNNING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    " AND query LIKE '%i % 9 + 1 FROM n%'"
)


@pytest.fixture(scope="module", autouse=True)
def _closed_sources() -> Iterator[None]:
    yield
    shared_loop().close()


def test_run_shows_rows_and_what_it_cost(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most", "3"))

    trial = response.context["trial"]
    assert [[cell.short for cell in cells] for cells in trial.rows] == [["1"], ["2"], ["3"]]
    assert [(one.name, one.type, one.is_number) for one in trial.columns] == [
        ("n", "integer", True)
    ]
    assert "3 rows" in text_of(response)
    assert f"≈ {trial.tokens} tokens" in text_of(response)


def test_run_saves_the_draft_and_is_recorded(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most", "3") | {"title": "Counting"})

    draft, recorded = ToolDraft.objects.get(), ToolTrial.objects.get()
    assert draft.document["title"] == "Counting"
    assert draft.document["test_values"] == recorded.arguments == {"most": 3}
    assert recorded.row_count == 3
    assert 'hx-target="#saved"' in text_of(response)
    assert next(one for one in response.context["page"].steps if one.id == "test").is_done


def test_run_of_another_users_draft_is_a_conflict(admin: Client, count: ToolDefinition) -> None:
    draft = open_draft(count, "lee")

    response = run(admin, row("most", "3") | {"title": "Mine"})

    assert response.status_code == 409
    assert ToolDraft.objects.get().revision == draft.revision
    assert not ToolTrial.objects.exists()


def test_draft_without_a_name_can_be_tried(admin: Client) -> None:
    draft = open_draft(None, "admin")
    data = {"definition": "SELECT 7 AS seven", "revision": "1"}

    response = admin.post(f"/tools/~/drafts/{draft.uid}/test/", data, headers=HTMX)

    assert response.context["trial"].row_count == 1
    assert ToolTrial.objects.get().draft == draft


def test_example_stands_for_a_value_that_nobody_gave(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most", example="2"))

    assert response.status_code == 200
    assert ToolTrial.objects.get().arguments == {"most": 2}


def test_missing_test_values_are_named_and_nothing_runs(
    admin: Client, count: ToolDefinition
) -> None:
    response = run(admin, row("most"))

    assert response.status_code == 422
    assert "Give a test value for most." in text_of(response)
    assert json.loads(response["HX-Trigger"])["tool:refused"]["parameter"] == "most"
    assert not ToolTrial.objects.exists()


def test_refused_argument_is_named_as_agents_read_it(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most", "many"))

    assert response.context["trial"].parameter == "most"
    assert "- most: must be a whole number" in text_of(response)
    assert json.loads(response["HX-Trigger"])["tool:refused"]["parameter"] == "most"
    assert ToolTrial.objects.get().error


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        pytest.param("SELECT n,\n nope FROM generate_series(1, :most) AS n", "nope", id="column"),
        pytest.param("DELETE FROM h_tool WHERE id = :most", "SELECT", id="write"),
    ],
)
def test_faulty_definition_is_refused_with_its_message(
    admin: Client, count: ToolDefinition, definition: str, message: str
) -> None:
    response = run(admin, row("most", "3") | {"definition": definition})

    assert response.status_code == 422
    assert message in response.context["trial"].error
    assert ToolDraft.objects.get().document["definition"] == definition


def test_line_of_a_fault_is_named(admin: Client, count: ToolDefinition) -> None:
    text = "SELECT n,\n nope FROM generate_series(1, :most) AS n"

    assert "Line 2" in text_of(run(admin, row("most", "3") | {"definition": text}))


def test_too_many_parameters_are_refused(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, {"parameter": [f"p{number}" for number in range(300)]})  # type: ignore[dict-item]

    assert response.status_code == 422
    assert "at most 200 parameters" in text_of(response)


def test_everything_of_an_answer_is_escaped(admin: Client) -> None:
    text = "SELECT '<script>alert(1)</script>' AS \"<b>\", '😀' AS emoji"
    make_tool(text, name="count")

    answer = text_of(run(admin, {}))

    assert "<script>alert" not in answer
    assert "<b>&" not in answer
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer
    assert "&lt;b&gt;" in answer
    assert "😀" in answer


def test_big_answer_comes_whole_for_the_grid_and_in_part_as_text(admin: Client) -> None:
    make_tool("SELECT n, repeat('x', 900) FROM generate_series(1, 1000) AS n", name="count")

    response = run(admin, {})

    trial = response.context["trial"]
    assert (len(trial.rows), trial.row_count) == (200, 1000)
    assert len(trial.grid["rows"]) == 1000
    assert trial.json.is_clipped
    assert len(response.content) < 2_000_000
    assert "The first 200 of 1,000 rows" not in text_of(response)
    page = admin.post("/tools/count/test/", {})
    assert "The first 200 of 1,000 rows" in text_of(page)


def test_decimals_are_drawn_as_the_type_says(admin: Client) -> None:
    columns = (
        "448941497::numeric(12,2) AS price, 7::numeric(4,0) AS pieces, 1.5::numeric(8,4) AS rate,"
        " 448941497.00 AS total, 12.125 AS exact, 1500.0::float8 AS measured"
    )
    make_tool(f"SELECT {columns}", name="count")

    trial = run(admin, {}).context["trial"]

    drawn = ["448941497.00", "7", "1.5000", "448941497.00", "12.125", "1500.0"]
    assert [cell.short for cell in trial.rows[0]] == drawn
    assert [column.type for column in trial.columns][:3] == [
        "numeric(12,2)", "numeric(4,0)", "numeric(8,4)",
    ]  # fmt: skip


def test_truncation_is_told(admin: Client) -> None:
    make_tool("SELECT * FROM generate_series(1, 9)", name="count", row_limit=2)

    assert "The first 2 rows are shown; narrow the query." in text_of(run(admin, {}))


def test_value_of_an_expression_is_shown_large(admin: Client) -> None:
    make_expression("a * 2", name="count", parameters=[number("a")])

    answer = text_of(run(admin, row("a", "21", type="NUMBER")))

    assert '<pre class="result-value" id="result-value">42</pre>' in answer


def test_page_without_javascript_shows_the_result(admin: Client, count: ToolDefinition) -> None:
    response = admin.post("/tools/count/test/", row("most", "2"))

    answer = text_of(response)
    assert "<!DOCTYPE html>" in answer
    assert "2 rows" in answer


def test_runs_are_kept_to_be_repeated(admin: Client, count: ToolDefinition) -> None:
    run(admin, row("most", "2"))

    answer = text_of(run(admin, row("most", "3")))

    assert 'data-arguments="{&quot;most&quot;: [&quot;2&quot;, &quot;&quot;]}"' in answer


def test_runs_that_are_kept_need_no_further_queries(
    admin: Client, count: ToolDefinition, django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        run(admin, row("most", "2"))

    with django_assert_max_num_queries(40):
        run(admin, row("most", "2"))


def whoami() -> ToolDefinition:
    return make_tool("SELECT :tenant AS tenant", name="count", parameters=[claim("tenant")])


def bound_row() -> dict[str, str]:
    return row("tenant", type="STRING", binding="CLAIM", bound_value="tenant")


def test_run_without_a_key_says_which_fact_is_missing(admin: Client) -> None:
    whoami()

    answer = text_of(run(admin, bound_row()))

    assert "needs an API key with the claim" in answer
    assert 'name="call_as"' in answer


def test_run_as_a_key_uses_its_claims_and_tells_no_token(admin: Client) -> None:
    whoami()
    issued = issue_key("Seoul office")
    ApiKey.objects.update(claims={"tenant": "KR"})

    response = run(admin, bound_row() | {"call_as": issued.key.key_id})

    assert response.context["trial"].rows[0][0].short == "KR"
    assert "Seoul office" in text_of(response)
    assert issued.token not in text_of(response)
    assert issued.key.digest not in text_of(response)


def test_keys_of_others_are_not_offered_without_the_right(staff_with: StaffWith) -> None:
    whoami()
    client = staff_with("view_tooldefinition", "change_tooldefinition")
    issue_key("own")
    ApiKey.objects.update(owner=User.objects.get(username="kim"))
    other = issue_key("foreign")

    response = run(client, bound_row() | {"call_as": other.key.key_id})

    assert [key.name for key in response.context["callers"]] == ["own"]
    assert response.context["called_as"] == ""


def test_caller_is_not_asked_for_where_nothing_depends_on_it(
    admin: Client, count: ToolDefinition
) -> None:
    assert 'name="call_as"' not in text_of(run(admin, row("most", "2")))


def test_plan_points_out_its_cost_and_runs_nothing(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most", "5"), "plan")

    assert response.context["plan"].rows == 5
    assert "stops when it has enough rows" in text_of(response)
    assert "Function Scan on" in text_of(response), "the text is there, folded"
    assert not ToolDraft.objects.exists()
    assert not ToolTrial.objects.exists()


def test_plan_of_missing_values_says_so(admin: Client, count: ToolDefinition) -> None:
    response = run(admin, row("most"), "plan")

    assert response.status_code == 422
    assert "Give a test value for most." in text_of(response)


def test_python_has_no_plan(admin: Client) -> None:
    make_expression("a * 2", name="count", parameters=[number("a")])

    assert "Python has no plan" in text_of(run(admin, row("a", "1", type="NUMBER"), "plan"))


def test_csv_has_the_whole_answer_and_no_formulas(admin: Client) -> None:
    make_tool(
        "SELECT n, '=1+1' AS sum, NULL AS nothing FROM generate_series(1, 300) AS n", name="count"
    )

    response = run(admin, {}, "csv")

    lines = response.content.decode().split("\r\n")
    assert response["Content-Disposition"] == 'attachment; filename="count.csv"'
    assert lines[:2] == ["\ufeffn,sum,nothing", "1,'=1+1,"]
    assert len(lines) == 302
    assert not ToolDraft.objects.exists()


def test_spreadsheet_has_the_whole_answer_typed(admin: Client) -> None:
    make_tool("SELECT 1.5::numeric(8,2) AS rate, '=1+1' AS formula", name="count")

    response = run(admin, {}, "csv", query_params={"as": "xlsx"})

    sheet = ZipFile(BytesIO(b"".join(response))).read("xl/worksheets/sheet1.xml").decode()
    assert response["Content-Disposition"] == 'attachment; filename="count.xlsx"'
    assert "<v>1.5</v>" in sheet
    assert "=1+1</t>" in sheet
    assert "<f>" not in sheet


def test_numbers_come_to_the_grid_with_all_their_digits(admin: Client) -> None:
    make_tool(
        "SELECT 9007199254740993 AS big, 0.1::float8 AS half, 5::numeric(9,2) AS price, 7 AS n",
        name="count",
    )

    grid = run(admin, {}).context["trial"].grid

    assert grid["rows"] == [["9007199254740993", "0.1", "5.00", 7]]
    assert {column["kind"] for column in grid["columns"]} == {"number"}


@pytest.mark.parametrize(
    ("name", "header"),
    [
        pytest.param("판매 ../a", "filename*=utf-8''%ED%8C%90%EB%A7%A4_.._a.csv", id="unicode"),
        pytest.param('x"\r\ny', 'filename="x_y.csv"', id="quotes and lines"),
        pytest.param("", 'filename="draft.csv"', id="no name"),
    ],
)
def test_name_of_the_csv_file_is_safe(
    admin: Client, count: ToolDefinition, name: str, header: str
) -> None:
    response = run(admin, row("most", "1") | {"name": name}, "csv")

    assert response["Content-Disposition"] == f"attachment; {header}"


def test_csv_of_a_failing_run_is_the_page_with_its_error(
    admin: Client, count: ToolDefinition
) -> None:
    response = admin.post("/tools/count/csv/", row("most"))

    assert response.status_code == 422
    assert "Give a test value for most." in text_of(response)


@pytest.mark.django_db(transaction=True)
def test_cancel_stops_the_query_on_the_server(
    admin: Client, embedded_postgres: EmbeddedPostgres
) -> None:
    make_tool(ENDLESS, name="count", timeout_ms=600_000)
    ended: list[Any] = []
    running = threading.Thread(target=lambda: ended.append(_run_apart(admin)))

    running.start()
    _wait_for_running(1, embedded_postgres)
    response = run(admin, {"page_token": "page-1"}, "cancel")
    running.join(LIMIT_S)

    assert response.status_code == 204
    assert ended[0].context["trial"].error == "the run was stopped"
    _wait_for_running(0, embedded_postgres)


def _run_apart(admin: Client) -> Any:
    try:
        return run(admin, {"page_token": "page-1"})
    finally:
        connection.close()


def _wait_for_running(wanted: int, server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.dsn(role="superuser"), autocommit=True) as other:
        wait_until(lambda: other.execute(RUNNING).fetchone() == (wanted,))


def test_cancel_of_another_page_stops_nothing(admin: Client, count: ToolDefinition) -> None:
    assert run(admin, {"page_token": "other"}, "cancel").status_code == 204


@pytest.mark.parametrize("action", ["test", "cancel", "plan", "csv"])
def test_actions_need_the_right_to_change_tools(
    staff_with: StaffWith, count: ToolDefinition, action: str
) -> None:
    assert run(staff_with("view_tooldefinition"), {}, action).status_code == 403


@pytest.mark.parametrize("action", ["test", "plan", "csv", "try"])
def test_actions_need_the_token_of_a_page(count: ToolDefinition, action: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("admin"))

    assert client.post(f"/tools/count/{action}/", row("most", "1")).status_code == 403


def test_ended_session_is_told_to_htmx(client: Client, count: ToolDefinition) -> None:
    assert run(client, row("most", "1")).status_code == 401
