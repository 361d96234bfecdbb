"""Files that are applied by two people at the same moment, or beside somebody who publishes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from core.errors import StaleEditError
from tests.factories import make_expression
from tests.waiting import wait_until
from toolbuilder.exchange.applying import ApplyRequest, FilePlan, apply_files
from toolbuilder.exchange.exchanged import ToolFiles
from toolbuilder.exchange.formats import read_files
from toolbuilder.exchange.importing import apply_import, plan_import
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)


def content_of(definition: str) -> ToolFiles:
    """A file in which the tool `times` says that."""
    text = f"toolbuilder: 1\nkind: tool\nname: times\ntool_type: PYTHON\ndefinition: {definition}\n"
    return read_files({"tools/times.yaml": text})


def apply_elsewhere(definition: str) -> FilePlan:
    """The plan of an application by another process."""
    try:
        return apply_files(content_of(definition), ApplyRequest(username="bob"))
    finally:
        connection.close()


def count_waiting() -> int:
    """How many sessions wait for an application to end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return int(cursor.fetchone()[0])


def test_second_application_is_planned_against_what_the_first_one_wrote() -> None:
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = apply_files(content_of("1 + 1"), ApplyRequest(username="ann"))
            waiting = pool.submit(apply_elsewhere, "2 + 2")
            wait_until(count_waiting)
        second = waiting.result(60)

    assert [planned.base for planned in first.tools] == [None]
    [planned] = second.tools
    assert planned.base
    assert planned.base.definition == "1 + 1"
    assert ToolDefinition.objects.get(name="times").definition == "2 + 2"


def test_tool_that_was_changed_after_its_plan_is_not_overwritten() -> None:
    make_expression(name="times")
    plan = plan_import(content_of("2 + 2").tools)
    ToolDefinition.objects.update(definition="a + b")

    [outcome] = apply_import(plan, "ann")

    assert isinstance(outcome.refusal, StaleEditError)
    assert "times was changed by somebody else meanwhile" in str(outcome.refusal)
    assert ToolDefinition.objects.get(name="times").definition == "a + b"
