"""Cases run as calls do: with their caller, within their time, until somebody stops them."""

import threading
from typing import Any

import pytest
from django.db import connection

from catalog.sources.settings import SourceSettings, read_sources
from core.answer_differences import ComparedAnswer
from core.bindings import CallerFacts
from core.cases.documents import CaseDocument, GoldenAnswer
from core.cases.outcomes import CaseState
from core.toolspec import Binding, ParameterSpec, ParameterType
from tests.factories import ENDLESS_SQL
from tests.toolbuilder.cases.rows import DOUBLE, add_case, case_of, publish
from tests.toolbuilder.editing.stock import tool
from toolbuilder.cases.running import run_cases, run_rows
from toolbuilder.editing.trial import TrialCaller, stop_trial
from toolbuilder.models import ToolCase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedded_postgres")]

ANN = TrialCaller(username="ann")
BY_REGION = "SELECT id, price FROM stock_level WHERE region = :region AND id < 6 ORDER BY id"
REGION = ParameterSpec(name="region", type=ParameterType.STRING)


def test_a_query_is_judged_by_its_rows(sources: SourceSettings) -> None:
    case = case_of(
        "Korea",
        {"check": "rows", "count": 2},
        {"check": "columns", "columns": [{"name": "id", "type": "number"}, {"name": "price"}]},
        {"check": "value", "path": "$[1].price", "value": 4.5},
        {"check": "sorted", "column": "id"},
        arguments={"region": "KR"},
    )

    [run] = run_cases(tool(BY_REGION, REGION), [case], sources, ANN)

    assert run.verdict.state is CaseState.GREEN, run.verdict.sentence


def test_the_caller_of_the_case_binds_parameters(sources: SourceSettings) -> None:
    bound = ParameterSpec(
        name="region", type=ParameterType.STRING, binding=Binding.CLAIM, bound_value="region"
    )
    japan = CaseDocument(
        name="Japan",
        caller=CallerFacts(key_id="k", claims={"region": "JP"}),
        expects=case_of("rows", {"check": "rows", "count": 3}).expects,
    )
    nobody = CaseDocument(name="nobody")

    runs = run_cases(tool(BY_REGION, bound), [japan, nobody], sources, ANN)

    assert [run.verdict.state for run in runs] == [CaseState.GREEN, CaseState.RED]
    assert "needs an API key" in str(runs[1].verdict.sentence)


def test_a_difference_to_the_golden_answer_is_kept_with_the_new_answer() -> None:
    stored = publish()
    golden = GoldenAnswer(answer=ComparedAnswer(value={"result": 5}))
    row = add_case(stored, CaseDocument(name="five", arguments={"a": 2}, golden=golden))

    rows, spec = [row], DOUBLE.to_spec(read_sources())
    run_rows(rows, spec, read_sources(), ANN, logic_hash="h")

    row = ToolCase.objects.get()
    assert (row.state, row.logic_hash) == (CaseState.RED, "h")
    assert row.answer == {"value": {"result": 4}}
    assert row.difference is not None
    assert row.difference["values"] == [{"path": "$.result", "old": "5", "new": "4"}]


def test_what_is_left_when_the_time_is_over_is_not_run() -> None:
    spec = DOUBLE.to_spec(read_sources())

    [run] = run_cases(spec, [case_of()], read_sources(), ANN, total_seconds=-1)

    assert run.verdict.state is CaseState.CANNOT_RUN
    assert "Not run" in str(run.verdict.sentence)


def test_a_case_that_expects_an_error_may_give_any_argument() -> None:
    spec = DOUBLE.to_spec(read_sources())
    case = case_of("strange", {"check": "error", "text": "b: "}, arguments={"a": 1, "b": 2})

    [run] = run_cases(spec, [case], read_sources(), ANN)

    assert run.verdict.state is CaseState.GREEN, run.verdict.sentence


def test_a_stopped_run_runs_no_further_case(sources: SourceSettings) -> None:
    caller = TrialCaller(username="ann", token="page")
    found: list[Any] = []
    cases = [case_of("endless", arguments={}), case_of("next", arguments={})]

    def run() -> None:
        found.extend(run_cases(tool(ENDLESS_SQL), cases, sources, caller))
        connection.close()

    thread = threading.Thread(target=run)

    thread.start()
    while thread.is_alive() and not stop_trial("ann", "page"):
        thread.join(0.05)
    thread.join(30)

    assert [run.verdict.state for run in found] == [CaseState.CANNOT_RUN] * 2
    assert "stopped before it" in str(found[1].verdict.sentence)
