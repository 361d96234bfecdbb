"""Recorded calls of a tool are run against a draft and against what is served."""

import json
from contextlib import nullcontext
from typing import Any

import pytest
from django.utils import timezone

from access.keys import issue_key
from access.models import ApiKey, CallRecord, LimitTally, Outcome, ToolLimit
from core.errors import DefinitionError, EditError
from core.toolspec import HttpLogic, ToolSpec
from tests.factories import claim, make_data_source, make_tool, number
from toolbuilder.models import ReplayResult, ReplayState, ToolReplay
from toolbuilder.replays.reading import require_reading
from toolbuilder.replays.running import advance_replay, start_replay, stop_replay
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sources")]

SQL = "SELECT region, used_count FROM stock_level WHERE id <= :top ORDER BY id"


def make_stock(**columns: Any) -> ToolDefinition:
    """The tool `stock`, which gives as many rows as it is asked for."""
    return make_tool(SQL, name="stock", parameters=[number("top")], **columns)


def record(arguments: Any, **columns: Any) -> CallRecord:
    given = {"tool_name": "stock", "outcome": Outcome.OK, "duration_ms": 4, "at": timezone.now()}
    return CallRecord.objects.create(arguments=arguments, **given | columns)


def draft_of(tool: ToolDefinition, **fields: Any) -> ToolDocument:
    return ToolDocument.of_row(tool).replace(**fields)


def replay(tool: ToolDefinition, document: ToolDocument, requested: int = 50) -> ToolReplay:
    """A replay that is run to its end."""
    made = start_replay(tool, document, "ann", requested)
    while made.state == ReplayState.RUNNING:
        made = advance_replay(made, "ann")
    return made


def results(made: ToolReplay) -> dict[str, int]:
    """How often each result came about."""
    found = list(made.calls.values_list("result", flat=True))
    return {result: found.count(result) for result in found}


def test_same_arguments_are_run_once_and_counted() -> None:
    tool = make_stock()
    for top in (2, 2, 3):
        record({"top": top})

    made = replay(tool, draft_of(tool, definition=SQL.replace("ORDER BY id", "ORDER BY id ")))

    assert results(made) == {ReplayResult.SAME: 2}
    assert sorted(made.calls.values_list("arguments__top", "times")) == [(2, 2), (3, 1)]
    assert (made.found, made.recorded) == (3, 3)


def test_call_that_would_be_refused_after_the_change_fails_now() -> None:
    tool = make_stock()
    record({"top": 3})
    record({"top": 15})
    narrowed = ToolDocument.of_row(tool).parameters[0].replace(maximum="10")

    made = replay(tool, draft_of(tool, parameters=(narrowed,)))

    assert results(made) == {ReplayResult.SAME: 1, ReplayResult.FAILS_NOW: 1}
    failing = made.calls.get(result=ReplayResult.FAILS_NOW)
    assert failing.arguments == {"top": 15}
    assert "top" in str(failing.what_message)


def test_other_answer_is_kept_with_the_rows_that_differ() -> None:
    tool = make_stock()
    record({"top": 3})

    made = replay(tool, draft_of(tool, definition=SQL.replace("used_count FROM", "CASE id WHEN 2 THEN 99 ELSE used_count END AS used_count FROM")))  # fmt: skip

    call: Any = made.calls.get()
    assert call.result == ReplayResult.DIFFERS
    assert call.difference["same_rows"] == 2
    assert [cell["text"] for cell in call.difference["before"][0]] == ["KR", "2"]
    assert [cell["is_changed"] for cell in call.difference["after"][0]] == [False, True]
    assert call.new_tokens > 0
    assert call.old_ms > 0


def test_of_wide_answers_the_columns_that_changed_are_kept() -> None:
    columns = ", ".join(f"{n} AS c{n}" for n in range(9))
    tool = make_tool(f"SELECT {columns}, :top AS top", name="stock", parameters=[number("top")])
    record({"top": 3})

    made = replay(tool, draft_of(tool, definition=tool.definition.replace("7 AS c7", "70 AS c7")))

    call: Any = made.calls.get()
    assert call.difference["columns"] == ["c0", "c7"]
    assert [cell["text"] for cell in call.difference["after"][0]] == ["0", "70"]


def test_values_of_masked_columns_are_not_kept() -> None:
    tool = make_tool("SELECT id, region AS password FROM stock_level WHERE id = :top", name="stock", parameters=[number("top")])  # fmt: skip
    record({"top": 2})

    made = replay(tool, draft_of(tool, definition=tool.definition.replace("region AS", "'secret' AS")))  # fmt: skip

    assert "secret" not in str(made.calls.get().difference)
    assert "***" in str(made.calls.get().difference)


def test_failure_that_stays_and_one_that_goes_are_told_apart() -> None:
    tool = make_tool("SELECT 10 / :top AS n", name="stock", parameters=[number("top")])
    record({"top": 0}, outcome=Outcome.TOOL_ERROR)
    record({"top": "x"}, outcome=Outcome.INVALID_ARGUMENTS)

    made = replay(tool, draft_of(tool, definition="SELECT 10 / nullif(:top, 0) AS n"))

    assert results(made) == {ReplayResult.STILL_FAILS: 1, ReplayResult.WORKS_NOW: 1}


@pytest.mark.parametrize(
    "kept",
    [None, ["top"], {"top": "***"}, {"top": "#0123456789abcdef"}, {"top": "x… (2000 characters)"}],
    ids=["none", "names", "masked", "hash", "shortened"],
)
def test_calls_whose_arguments_are_not_kept_are_counted_only(kept: Any) -> None:
    tool = make_stock()
    record(kept)

    made = replay(tool, draft_of(tool, definition=SQL + " LIMIT 1"))

    assert (made.not_kept, made.calls.count(), made.state) == (1, 0, ReplayState.DONE)


def test_refused_and_limited_calls_are_left_out() -> None:
    tool = make_stock()
    record({"top": 1}, outcome=Outcome.LIMITED)
    record({"top": 2}, outcome=Outcome.REFUSED)

    made = start_replay(tool, draft_of(tool, definition=SQL + " LIMIT 1"), "ann")

    assert (made.found, made.recorded) == (0, 0)


def test_facts_of_the_callers_key_are_those_of_now() -> None:
    key = issue_key("agent").key
    ApiKey.objects.filter(pk=key.pk).update(claims={"region": "JP"})
    tool = make_tool(
        "SELECT count(*) AS n FROM stock_level WHERE region = :region",
        name="stock",
        parameters=[claim("region")],
    )
    record({}, key_id=key.key_id)
    record({}, key_id="deleted1")

    made = replay(tool, draft_of(tool, definition=tool.definition + " AND id > 1"))

    call: Any = made.calls.get()
    assert (call.result, made.without_facts) == (ReplayResult.DIFFERS, 1)
    assert call.is_callers_own
    assert call.difference["before"][0][0]["text"] == "10"


def test_replay_counts_against_no_limit_and_is_no_call() -> None:
    tool = make_stock()
    ToolLimit.objects.create(target_type="TOOL", target_id="stock", max_count=1)
    for top in (1, 2, 3):
        record({"top": top})

    made = replay(tool, draft_of(tool, definition=SQL + " LIMIT 1"))

    assert ReplayResult.FAILS_NOW not in results(made)
    assert CallRecord.objects.count() == 3
    assert not LimitTally.objects.exists()


@pytest.mark.parametrize(("method", "is_refused"), [("post", True), ("get", False)])
def test_calls_that_may_write_are_not_repeated(method: str, is_refused: bool) -> None:
    operation = json.dumps({"method": method, "path": "/orders"})
    spec = ToolSpec(id=1, name="order", logic=HttpLogic(operation, "shop"))

    with pytest.raises(EditError, match="may write") if is_refused else nullcontext():
        require_reading([spec])


def test_stopped_replay_keeps_what_was_done() -> None:
    tool = make_stock()
    record({"top": 1})
    made = start_replay(tool, draft_of(tool, definition=SQL + " LIMIT 1"), "ann")

    stop_replay(made)
    made = advance_replay(made, "ann")

    assert made.state == ReplayState.STOPPED
    assert results(made) == {ReplayResult.PENDING: 1}


def test_nothing_is_replayed_where_nothing_differs() -> None:
    tool = make_stock()

    with pytest.raises(EditError, match="nothing to compare"):
        start_replay(tool, ToolDocument.of_row(tool), "ann")


def test_old_replays_of_a_tool_go() -> None:
    tool = make_stock()
    document = draft_of(tool, title="x")

    for _turn in range(7):
        start_replay(tool, document, "ann")

    assert ToolReplay.objects.count() == 5


def test_source_that_is_closed_to_the_person_is_not_asked() -> None:
    closed = make_data_source("closed", is_restricted=True)
    tool = make_stock(data_source=closed)
    record({"top": 1})
    made = start_replay(tool, draft_of(tool, title="x"), "ann")

    with pytest.raises(DefinitionError):
        advance_replay(made, "ann")
