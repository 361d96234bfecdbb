"""Calls lie in partitions of months: ahead of time, after a gap, and until they are old."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from access.history.months import MONTHS_AHEAD, drop_months, make_months, read_months
from access.models import CallDay, CallRecord
from access.tasks import prune_call_records
from tests.access.calls import make_call

pytestmark = pytest.mark.django_db


def partition_of(call: CallRecord) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableoid::regclass::text FROM h_call_record WHERE id = %s", [call.pk]
        )
        return str(cursor.fetchone()[0])


def test_months_ahead_are_there_from_the_start() -> None:
    now = datetime.now(UTC)

    months = read_months()

    assert f"h_call_record_{now:%Y_%m}" in months
    assert len([month for month in months if month >= f"h_call_record_{now:%Y_%m}"]) > MONTHS_AHEAD
    assert make_months() == []


def test_call_of_a_month_without_partition_is_kept_and_taken_over() -> None:
    late = make_call(at=datetime(2031, 12, 31, 23, 59, tzinfo=UTC))
    assert partition_of(late) == "h_call_record_default"

    assert make_months() == ["h_call_record_2031_12"]

    assert partition_of(late) == "h_call_record_2031_12"
    assert CallRecord.objects.get() == late
    assert partition_of(make_call(at=late.at)) == "h_call_record_2031_12"


def test_whole_months_are_dropped_when_all_their_calls_are_old() -> None:
    old = make_call("old", at=datetime(2020, 5, 31, 23, tzinfo=UTC))
    young = make_call("young", at=datetime(2020, 6, 1, tzinfo=UTC))
    make_months()

    assert drop_months(datetime(2020, 5, 31, tzinfo=UTC)) == []
    assert drop_months(young.at) == [f"h_call_record_{old.at:%Y_%m}"]

    assert CallRecord.objects.get() == young


def test_figures_outlive_the_calls_that_are_dropped(settings: Any) -> None:
    settings.CALL_LOG_RETENTION_DAYS = 30
    make_call("old", at=timezone.now() - timedelta(days=70))
    make_call("new")

    assert prune_call_records() == 1

    assert CallRecord.objects.get().tool_name == "new"
    assert set(CallDay.objects.values_list("tool_name", flat=True)) == {"old", "new"}


def test_numbers_of_calls_go_on_in_every_partition() -> None:
    calls = [make_call(at=datetime(year, 1, 1, tzinfo=UTC)) for year in (2030, 2020, 2025)]

    assert len({call.pk for call in calls}) == 3
    assert [partition_of(call) for call in calls] == ["h_call_record_default"] * 3
