"""What moved in the search after tools were published, with its cause, and only for who sees the tools."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalog.models import DataSource
from tests.factories import make_tool
from tests.rendered import text_of
from tests.toolbuilder.search_lab.conftest import MODEL, store_vectors
from tests.toolbuilder.search_lab.test_views import staff_with
from toolbuilder.history.versions import VersionEntry, record_version
from toolbuilder.models import SearchMeasurement, SearchQuestion, VersionOrigin
from toolbuilder.search_lab import recording
from toolbuilder.search_lab.questions import save_question
from toolbuilder.search_lab.recording import record_measurement
from tools.models import ToolDefinition

PAGE = "/search-lab/moves/"


@pytest.fixture
def measured(shop: None) -> None:
    """Two questions, measured once."""
    save_question("orders of a customer", ["list_orders"], "ann")
    save_question("지역별 매장", ["find_stores"], "ann")
    assert record_measurement() is True


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("admin"))
    return client


def publish_rival(**columns: Any) -> ToolDefinition:
    """A tool that says just what the first question asks for."""
    tool = make_tool(
        name="orders_of_customer", description_agent="Orders of a customer.", **columns
    )
    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author="bob"))
    return tool


@pytest.mark.usefixtures("measured")
def test_question_that_fell_names_the_publishing_and_the_part_of_the_score(admin: Client) -> None:
    publish_rival()

    assert record_measurement() is True
    page = admin.get(PAGE)

    newest, first = page.context["measurements"]
    assert [(cause["tool"], cause["version"], cause["by"]) for cause in newest.causes] == [
        ("orders_of_customer", 1, "bob")
    ]
    [move] = newest.moves
    assert (move.tool, move.before, move.after, move.is_fall) == ("list_orders", 1, 2, True)
    assert (move.rival, move.cause["tool"], move.how) == (*["orders_of_customer"] * 2, "new")
    assert (move.label, move.change < 0) == ("Name", True)
    assert [(one.label, one.count) for one in newest.rates] == [("", 2), ("ko", 1), ("en", 1)]
    assert [hit.change for hit in newest.overall.hits] == [-50, None, None]
    assert newest.overall.mrr.change == -0.25
    assert (first.row.kind, first.overall.hits[0].value, first.moves) == ("FIRST", 100, [])
    assert "orders_of_customer is ahead now." in text_of(page)
    of_tool = admin.get(f"{PAGE}?tool=find_stores").context["chosen"]
    assert (of_tool.overall.count, of_tool.moves) == (1, [])


@pytest.mark.usefixtures("measured")
def test_question_that_rose_names_the_publishing_that_renamed_what_was_ahead(admin: Client) -> None:
    tool = publish_rival()
    record_measurement()
    tool.name, tool.description_agent = "unlike", "Nothing of all that."
    tool.save()
    record_version(tool, VersionEntry(origin=VersionOrigin.PUBLISHED, author="eve"))
    record_measurement()

    page = admin.get(PAGE)

    [move] = page.context["chosen"].moves
    assert (move.before, move.after, move.rival, move.how) == (2, 1, "orders_of_customer", "gone")
    assert (move.cause["tool"], move.cause["version"], move.cause["by"]) == ("unlike", 2, "eve")


@pytest.mark.usefixtures("measured")
def test_hidden_tool_is_no_cause_takes_no_rank_and_makes_no_measurement(admin: Client) -> None:
    source = DataSource.objects.create(name="own", engine="sqlite", path="/x", is_restricted=True)
    publish_rival(data_source=source, definition="SELECT 1 AS one", tool_type="SQL")
    record_measurement()
    make_tool(name="find_customers", description_agent="Finds customers.")
    save_question("a hidden one", ["orders_of_customer"], "ann")
    record_measurement()

    page = staff_with("view_tooldefinition").get(PAGE)

    assert len(admin.get(PAGE).context["measurements"]) == 3
    newest, first = page.context["measurements"]
    assert [cause["tool"] for cause in newest.causes] == ["find_customers"]
    assert (newest.overall.count, newest.overall.hits[0].value, newest.moves) == (2, 100, [])
    assert first.row.kind == "FIRST"
    assert "orders_of_customer" not in text_of(page)
    assert "a hidden one" not in text_of(page)


@pytest.mark.usefixtures("measured")
def test_measurement_in_which_nothing_moved_says_so(admin: Client) -> None:
    publish_rival()
    record_measurement()

    page = text_of(admin.get(PAGE))

    # The second one, in which a question fell, says that.
    assert len(SearchMeasurement.objects.all()) == 2
    assert page.count('–</span><span class="visually-hidden">nothing</span>') == 1


@pytest.mark.usefixtures("measured")
def test_nothing_is_measured_twice_and_what_comes_late_renews_the_last(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = "http://127.0.0.1:9"
    settings.TEXT_EMBEDDING_MODEL_NAME = MODEL
    publish_rival()
    record_measurement()
    before = SearchMeasurement.objects.get(pk=SearchMeasurement.objects.all()[0].pk)

    assert record_measurement() is False
    store_vectors(orders_of_customer=1)
    save_question("delete an order", ["delete_order"], "ann")
    assert record_measurement() is False

    after = SearchMeasurement.objects.all()[0]
    assert (after.pk, len(after.outcomes), len(before.outcomes)) == (before.pk, 3, 2)
    assert [move["rival"] for move in after.moves.values()] == ["orders_of_customer"]
    # No vector of a question came: it is measured again the next time.
    assert after.state == ""


@pytest.mark.usefixtures("measured")
def test_changed_question_is_no_move_and_old_measurements_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "MEASUREMENTS_KEPT", 3)
    question = SearchQuestion.objects.get(language="en")
    SearchQuestion.objects.filter(pk=question.pk).update(expected=["delete_order"])
    for number in range(4):
        make_tool(name=f"more_{number}", description_agent="Gives more.")
        record_measurement()

    rows = list(SearchMeasurement.objects.all())
    assert (len(rows), [bool(row.parts) for row in rows]) == (3, [True, True, False])
    assert all(row.moves == {} for row in rows)


def test_without_questions_nothing_is_measured_and_the_page_says_so(admin: Client) -> None:
    assert record_measurement() is False
    assert "No saved questions" in text_of(admin.get(PAGE))
    save_question("orders", ["list_orders"], "ann")
    assert "Not measured yet" in text_of(admin.get(PAGE))

    answer = admin.post(f"{PAGE}measure/", follow=True)

    assert "The saved questions were searched again." in text_of(answer)
    assert SearchMeasurement.objects.get().outcomes
