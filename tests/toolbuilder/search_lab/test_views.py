"""The pages of the search lab as a browser asks for them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from access.keys import issue_key
from access.models import ApiKey
from core.retrieval.profiles import DEFAULT
from tests.factories import make_tool
from tests.rendered import text_of
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab.questions import save_question
from tools.models import SearchUse, ToolSearch

HTMX = {"HX-Request": "true"}
LAB = "/search-lab/"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    """A superuser's browser."""
    client.force_login(User.objects.create_superuser("admin"))
    return client


def staff_with(*codenames: str) -> Client:
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client = Client()
    client.force_login(user)
    return client


def found(response: Any) -> list[str]:
    return [row.tool.name for row in response.context["answer"].rows]


def make_searches(query: str, *called: str | None, days_ago: int = 0) -> None:
    at = timezone.now() - timedelta(days=days_ago)
    ToolSearch.objects.bulk_create(
        ToolSearch(query=query, called_tool=tool, at=at, duration_ms=2.0) for tool in called
    )


def test_page_shows_the_words_that_match_and_the_tools_used_with_one(admin: Client) -> None:
    make_tool(name="list_orders", description_agent="Lists orders.")
    make_tool(name="cancel_order", description_agent="Cancels an order.")

    page = admin.get(f"{LAB}?q=cancel+order")

    row = page.context["answer"].rows[0]
    assert (row.tool.name, row.related) == ("cancel_order", ("list_orders",))
    assert set(row.found.matched.words) == {"cancel", "order"}
    assert "Matched:" in text_of(page)
    assert "Used with:" in text_of(page)


@pytest.mark.usefixtures("shop")
def test_question_shows_tools_with_what_speaks_for_them(admin: Client) -> None:
    page = admin.get(f"{LAB}?q=show+orders+of+a+customer")

    row = page.context["answer"].rows[0]
    assert row.tool.name == "list_orders"
    assert [part.signal for part in row.bar] == ["bm25", "name", "annotation"]
    assert 'class="bm25" x="0.0"' in text_of(page)
    counted = {one.id: one for one in page.context["answer"].concepts}
    assert (counted["order"].weight, counted["order"].is_named) == (DEFAULT.concept_weight, True)
    assert "order × 3" in text_of(page)
    assert '<a class="mono anywhere table-link" href="/tools/list_orders/">' in text_of(page)
    assert "By words alone" in text_of(page)
    assert 'style="' not in text_of(page)


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("query", "address"),
    [
        pytest.param(f"q=orders&profile={DEFAULT.name}", "?q=orders", id="default profile"),
        pytest.param("q=orders&profile=seed", "?q=orders&profile=seed", id="profile"),
        pytest.param(f"q=orders&bm25=1.5&graph={DEFAULT.graph_weight}", f"?q=orders&profile={DEFAULT.name}&bm25=1.5", id="weight"),
        pytest.param("q=orders&profile=rrf&of=seed&bm25=2", "?q=orders&profile=rrf", id="weights of another"),
        pytest.param("q=%00&profile=x&bm25=nan&graph=-1&annotation=99&key=", "", id="nonsense"),
    ],
)  # fmt: skip
def test_htmx_is_told_the_address_of_the_search(admin: Client, query: str, address: str) -> None:
    response = admin.get(f"{LAB}?{query}", headers=HTMX)

    assert response["HX-Push-Url"] == LAB + address
    assert "<html" not in text_of(response)
    assert admin.get(LAB + address).context["state"] == response.context["state"]


@pytest.mark.usefixtures("shop")
def test_weight_of_zero_takes_a_signal_out_of_the_bar(admin: Client) -> None:
    pages = [admin.get(f"{LAB}?q=show+orders{weight}") for weight in ("", "&annotation=0")]

    parts = [
        {part.signal for row in page.context["answer"].rows for part in row.bar} for page in pages
    ]
    assert parts == [{"bm25", "name", "annotation"}, {"bm25", "name"}]


@pytest.mark.usefixtures("shop")
def test_what_agents_called_after_such_questions_is_shown_and_can_be_left_out(
    admin: Client, settings: Any
) -> None:
    settings.MCP_SEARCH_LEARNING = True
    SearchUse.objects.create(
        day=timezone.now().date(), key_id="k", tool_name="delete_order", concept="order"
    )

    pages = [admin.get(f"{LAB}?q=order{weight}") for weight in ("", "&use=0")]

    rows = [row for page in pages for row in page.context["answer"].rows]
    used = {row.tool.name: row.found.used for row in rows[:2]}
    assert used == {"delete_order": (("order", pytest.approx(1 / 7)),), "list_orders": ()}
    assert "Called after such questions:" in text_of(pages[0])
    assert "order +0.14" in text_of(pages[0])
    assert [row.found.signals["use"] for row in rows[2:]] == [0, 0]


@pytest.mark.usefixtures("shop")
def test_search_as_a_key_finds_only_what_it_may_call(admin: Client) -> None:
    key = issue_key("agent").key
    ApiKey.objects.filter(pk=key.pk).update(allowed_tools=["delete_order"])

    assert sorted(found(admin.get(f"{LAB}?q=order"))) == ["delete_order", "list_orders"]
    assert found(admin.get(f"{LAB}?q=order&key={key.key_id}")) == ["delete_order"]


@pytest.mark.usefixtures("shop")
def test_keys_are_named_only_to_those_who_may_see_them(db: None) -> None:
    issue_key("secret agent")

    page = text_of(staff_with("view_tooldefinition").get(f"{LAB}?q=order"))

    assert "secret agent" not in page
    assert "search-lab/questions/add" not in page


@pytest.mark.parametrize(
    ("tools", "query", "told"),
    [
        pytest.param(0, "", "No active tools", id="no tools"),
        pytest.param(1, "", "Ask something", id="no question"),
        pytest.param(1, "zzzz", "Nothing found", id="nothing found"),
    ],
)
def test_empty_page_says_what_to_do(admin: Client, tools: int, query: str, told: str) -> None:
    for _number in range(tools):
        make_tool()

    assert told in text_of(admin.get(f"{LAB}?q={query}"))


def test_what_agents_and_authors_write_is_shown_as_text(admin: Client) -> None:
    make_tool(name="t", title=HOSTILE, description_agent=f"orders {HOSTILE}", tags=[HOSTILE])
    make_searches(HOSTILE, None)
    save_question(HOSTILE, [HOSTILE], "ann")

    pages = [f"{LAB}?q=orders+{HOSTILE}", f"{LAB}questions/", f"{LAB}traffic/"]

    assert [page for page in pages if HOSTILE in text_of(admin.get(page))] == []


@pytest.mark.usefixtures("shop")
def test_question_is_saved_from_a_result_and_measured(admin: Client) -> None:
    saved = admin.post(
        f"{LAB}questions/add/", {"text": "orders", "expected": "list_orders"}, headers=HTMX
    )
    run = admin.post(f"{LAB}questions/run/", {"profile": "rrf"}, headers=HTMX)

    assert "The question was saved" in saved["HX-Trigger"]
    assert run.context["measured"].overall.count == 1
    assert run.context["measured"].questions[0].rank in (1, 2)
    assert "<html" not in text_of(run)
    assert "<html" in text_of(admin.post(f"{LAB}questions/run/"))


def test_question_without_a_tool_is_refused(admin: Client) -> None:
    response = admin.post(f"{LAB}questions/add/", {"text": "orders"}, headers=HTMX)

    assert response.status_code == 422
    assert "say which tool" in response["HX-Trigger"]


def test_questions_have_pages_and_can_be_removed(
    admin: Client, django_assert_num_queries: Any
) -> None:
    questions = [SearchQuestion(text=f"q {n}", expected=["a"]) for n in range(51)]
    SearchQuestion.objects.bulk_create(questions)
    admin.get(f"{LAB}questions/")

    with django_assert_num_queries(9):
        page = admin.get(f"{LAB}questions/?page=2")
    admin.post(f"{LAB}questions/{questions[0].pk}/remove/", headers=HTMX)

    assert "51–51 / 51" in text_of(page)
    assert SearchQuestion.objects.count() == 50


def test_file_of_questions_goes_out_and_in(admin: Client) -> None:
    save_question("orders", ["a"], "ann")
    file = admin.get(f"{LAB}questions/export/").content
    SearchQuestion.objects.all().delete()

    admin.post(f"{LAB}questions/import/", {"file": SimpleUploadedFile("q.csv", file)})
    bad = admin.post(f"{LAB}questions/import/", {"file": SimpleUploadedFile("q.csv", b"x")})

    assert SearchQuestion.objects.get().expected == ["a"]
    assert bad.status_code == 422
    assert "the first line has to name the columns question, expected" in text_of(bad)


def test_searches_of_agents_are_grouped_by_question(admin: Client) -> None:
    make_searches("found", "a", None)
    make_searches("not found", None, None, None)
    make_searches("", None)
    make_searches("long ago", None, days_ago=8)

    page = admin.get(f"{LAB}traffic/")

    traffic = page.context["traffic"]
    assert [(one["query"], one["count"]) for one in traffic.uncalled] == [("not found", 3)]
    assert [one["query"] for one in traffic.most] == ["not found", "found"]
    assert (traffic.search_count, traffic.called_count, traffic.hidden_count) == (6, 1, 1)
    assert "/search-lab/?q=not%20found" in text_of(page)
    assert "/search-lab/questions/?q=not%20found#add" in text_of(page)


@pytest.mark.parametrize("page", ["uncalled=2", "most=2", "most=x&uncalled=-1", ""])
def test_searches_have_pages_of_their_own(admin: Client, page: str) -> None:
    for number in range(25):
        make_searches(f"question {number:02}", None)

    traffic = admin.get(f"{LAB}traffic/?{page}").context["traffic"]

    assert len(traffic.uncalled) == (5 if "uncalled=2" in page else 20)
    assert len(traffic.most) == (5 if "most=2" in page else 20)


@pytest.mark.parametrize(
    ("rights", "path", "method"),
    [
        pytest.param([], "", "get", id="lab without tools"),
        pytest.param(["view_tooldefinition"], "traffic/", "get", id="traffic without calls"),
        pytest.param(["view_tooldefinition"], "questions/add/", "post", id="saving"),
        pytest.param(["view_tooldefinition"], "questions/import/", "post", id="import"),
        pytest.param(["view_tooldefinition"], "questions/1/remove/", "post", id="removing"),
    ],
)
@pytest.mark.django_db
def test_pages_are_refused_without_the_right(rights: list[str], path: str, method: str) -> None:
    assert getattr(staff_with(*rights), method)(f"{LAB}{path}").status_code == 403


@pytest.mark.django_db
def test_sidebar_leads_to_the_lab() -> None:
    assert 'href="/search-lab/"' in text_of(staff_with("view_tooldefinition").get("/tools/"))
