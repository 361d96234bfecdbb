"""A trial runs as a call does, can be stopped, and shows what the agent would get."""

import json
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection

from access.models import ToolLimit
from catalog.sources.settings import SourceSettings
from core.toolspec import (
    Dialect,
    ExpressionLogic,
    ParameterSpec,
    ParameterType,
    ResultFormat,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)
from gateways.sqlite.settings import SqliteSettings
from tests.toolbuilder.editing.stock import tool
from tests.waiting import LIMIT_S, wait_until
from toolbuilder.editing.result import show_past, show_trial
from toolbuilder.editing.trial import (
    Trial,
    TrialCaller,
    advise_on_time,
    explain_plan,
    list_entry,
    run_trial,
    stop_trial,
)
from toolbuilder.models import ToolTrial
from tools.source_loop import shared_loop

pytestmark = pytest.mark.django_db

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 9 + 1 FROM n) SELECT max(i) FROM n"
KIM = TrialCaller(username="kim", token="page-1")
REGION = ParameterSpec(name="region", type=ParameterType.STRING)
QUERY = tool("SELECT id, region FROM stock_level WHERE region = :region ORDER BY id", REGION)


def test_query_gives_rows_and_what_the_agent_gets(sources: SourceSettings) -> None:
    spec = replace(QUERY, result_format=ResultFormat.CSV, row_limit=3)

    trial = run_trial(spec, {"region": "KR"}, sources, KIM)

    assert trial.error is None
    assert trial.columns == ("id", "region")
    assert trial.rows == [(2, "KR"), (4, "KR"), (6, "KR")]
    assert trial.truncated
    assert trial.texts[0].startswith("id,region")
    assert "rows" not in trial.structured
    assert trial.tokens > 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "- region: is required"),
        ({"region": "KR", "x": 1}, "- x: is not an argument"),
    ],
)
def test_arguments_are_refused_as_in_a_call(
    sources: SourceSettings,
    arguments: dict[str, object],
    error: str,
) -> None:
    trial = run_trial(QUERY, arguments, sources, KIM)

    assert str(trial.error).startswith("Invalid arguments for stock:")
    assert error.split(":", maxsplit=1)[0] in str(trial.error)


def test_tool_that_does_not_compile_is_an_error(sources: SourceSettings) -> None:
    trial = run_trial(tool("SELECT :a"), {}, sources, KIM)

    assert str(trial.error) == "the statement uses a, which is not declared; add the parameter"


def test_expression_gives_its_value(db: None) -> None:
    spec = ToolSpec(id=1, name="e", logic=ExpressionLogic("1 + 1"))

    assert run_trial(spec, {}, SourceSettings(), KIM).structured == {"result": 2}


@pytest.mark.parametrize(("timeout_ms", "elapsed_ms"), [(60_000, 1_001), (400, 201)])
def test_slow_script_gives_advice(timeout_ms: int, elapsed_ms: int) -> None:
    spec = ToolSpec(id=1, name="s", logic=ScriptLogic("result = 1"), timeout_ms=timeout_ms)

    advice = advise_on_time(spec, elapsed_ms)

    assert advise_on_time(spec, elapsed_ms - 1) is None
    assert f"took {elapsed_ms:,} ms of at most {timeout_ms:,} ms" in str(advice)
    shown = show_trial(Trial(structured={"result": 1}, texts=("1",), advice=advice), "s", {})
    assert shown.value is not None
    assert str(advice) in shown.notes


def test_past_run_is_written_as_its_types_are_typed() -> None:
    arguments = {"ids": ["a", "b"], "lines": ["a", "b"], "gone": 1}
    types = {"ids": ParameterType.STRING_LIST, "lines": ParameterType.JSON}

    [past] = show_past([ToolTrial(arguments=arguments)], types)

    fields = json.loads(past.fields)
    assert {name: text for name, (text, _) in fields.items()} == {
        "ids": "a, b",
        "lines": '["a", "b"]',
        "gone": "1",
    }


def test_script_runs_in_the_sandbox(db: None) -> None:
    spec = ToolSpec(id=1, name="s", logic=ScriptLogic("total = 1\nresult = total + 1"))

    assert run_trial(spec, {}, SourceSettings(), KIM).structured == {"result": 2}
    shared_loop().close()


def test_time_limit_of_the_tool_holds(sources: SourceSettings) -> None:
    spec = replace(tool(ENDLESS), timeout_ms=1_000)

    assert "longer than 1 s" in str(run_trial(spec, {}, sources, KIM).error)


def test_trial_is_stopped_by_its_own_user_alone(sources: SourceSettings) -> None:
    endless = replace(tool(ENDLESS), timeout_ms=600_000)
    ended: list[Trial] = []

    def run() -> None:
        ended.append(run_trial(endless, {}, sources, KIM))
        connection.close()

    running = threading.Thread(target=run)
    running.start()
    assert not stop_trial("lee", "page-1")
    wait_until(lambda: stop_trial("kim", "page-1"))
    running.join(LIMIT_S)

    assert [str(trial.error) for trial in ended] == ["the run was stopped"]


def test_plan_is_told_without_running(sources: SourceSettings) -> None:
    plan = explain_plan(QUERY, {"region": "KR"}, sources, KIM)

    assert "Seq Scan on stock_level" in plan.text
    assert "stock_level" in {node.table for node in plan.nodes[0].walk()}
    assert "actual" not in plan.text


def test_entry_is_that_of_the_list(db: None) -> None:
    entry, tokens = list_entry(QUERY)

    assert entry["inputSchema"]["required"] == ["region"]
    assert entry["annotations"]["readOnlyHint"] is True
    assert tokens > 10


def test_plan_of_a_file_is_told(db: None, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE city (name TEXT)")
    file.close()
    read = SourceSettings(usable={"shop": SqliteSettings(path=path)}, users_of={"shop": None})
    spec = ToolSpec(
        id=1, name="city", logic=SqlLogic("SELECT name FROM city", "shop", Dialect.SQLITE)
    )

    plan = explain_plan(spec, {}, read, KIM)
    assert (plan.text, plan.nodes[0].table, plan.cost) == ("SCAN city", "city", None)
    shared_loop().close()


@pytest.mark.django_db(transaction=True)
def test_trial_counts_as_a_call_of_who_tries(sources: SourceSettings) -> None:
    ToolLimit.objects.create(target_type="USER", target_id="kim", max_count=2)
    lee = replace(KIM, username="lee")

    trials = [run_trial(QUERY, {"region": "KR"}, sources, KIM) for _ in range(3)]

    assert [trial.error is None for trial in trials] == [True, True, False]
    assert "the limit of the user 'kim' is 2 calls of all tools a day" in trials[2].texts[0]
    assert run_trial(QUERY, {"region": "KR"}, sources, lee).error is None
