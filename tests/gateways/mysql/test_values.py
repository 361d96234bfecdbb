"""Values in both directions, of every type, on a real MariaDB."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from core.errors import ArgumentsError, DataSourceError, DataSourceUnavailableError
from gateways.mysql.checks.inspection import inspect_mysql
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from tests.gateways.mysql.queries import make_query

_OF_TYPES = """SELECT store_id, total, at, day, year_, bits, kind, tags, took, moment, content, ratio, large,
facts, latin, uid, address, exact, is_paid, code FROM orders WHERE id = 1"""


async def test_every_type_arrives_as_the_json_that_keeps_it(source: MysqlSource) -> None:
    result = await source.run(make_query(_OF_TYPES))

    assert result.rows == [
        (
            *(1, 12.5, "2026-01-02T03:04:05.5", "2026-02-03", 2026, 0b1010101010, "a", "x,y"),
            *("838:59:59.5", "2026-01-01T00:00:00+00:00", "AP8=", 1.1, 2**64 - 1, '{"a": 1}', "é"),
            *("00000000-0000-0000-0000-000000000001", "::1", "1.000000000000000000000000000001"),
            *(1, "YWIAAA=="),
        )
    ]
    assert result.notes == ()


async def test_dates_that_no_calendar_has_are_told_from_null(source: MysqlSource) -> None:
    result = await source.run(make_query("SELECT id, day, at FROM orders ORDER BY id DESC"))

    assert result.rows == [
        (3, None, None),
        (2, "2026-00-00", "0000-00-00T00:00:00"),
        (1, "2026-02-03", "2026-01-02T03:04:05.5"),
    ]


async def test_a_shape_is_given_with_advice(source: MysqlSource) -> None:
    result = await source.run(make_query("SELECT place, ST_AsText(place) FROM orders WHERE id = 1"))

    assert result.rows[0][1] == "POINT(1 2)"
    assert "ST_AsText" in result.notes[0]


async def test_a_long_cell_is_cut_on_the_server(source: MysqlSource) -> None:
    result = await source.run(make_query("SELECT note, id FROM orders WHERE id = 1 LIMIT 1"))

    assert result.rows == [("가" * 8_192, 1)]
    assert result.truncated


async def test_columns_of_equal_names_are_both_given(source: MysqlSource) -> None:
    result = await source.run(
        make_query("SELECT note AS a, id AS a FROM orders WHERE id = 2 LIMIT 1")
    )

    assert (result.columns, result.rows) == (("a", "a"), [(None, 2)])


@pytest.mark.parametrize(
    ("expression", "value", "expected"),
    [
        pytest.param(":v", None, None, id="null"),
        pytest.param(":v", True, 1, id="boolean"),
        pytest.param(":v", -(2**63), -(2**63), id="smallest integer"),
        pytest.param(":v", 2**64 - 1, 2**64 - 1, id="unsigned"),
        pytest.param(":v + 1", 2.5, 3.5, id="number"),
        pytest.param(":v", Decimal("0.1"), 0.1, id="decimal"),
        pytest.param(":v", 1e300, 1e300, id="double"),
        pytest.param(":v", "'; DROP TABLE orders -- \\", "'; DROP TABLE orders -- \\", id="text"),
        pytest.param(":v", "🙂", "🙂", id="emoji"),
        pytest.param("DATE(:v) + INTERVAL 1 DAY", date(2026, 2, 28), "2026-03-01", id="date"),
        pytest.param(
            ":v", datetime(2026, 3, 1, 9, 30, tzinfo=UTC), "2026-03-01 09:30:00", id="moment"
        ),
        pytest.param("JSON_VALUE(:v, '$.a')", {"a": "b"}, "b", id="object"),
        pytest.param("JSON_LENGTH(:v)", [1, 2, 3], 3, id="list as JSON"),
    ],
)
async def test_values_arrive_as_they_are(
    source: MysqlSource, expression: str, value: Any, expected: Any
) -> None:
    result = await source.run(make_query(f"SELECT {expression}", {"v": value}))

    assert result.rows == [(expected,)]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(2**64, "64 bits", id="too large a number"),
        pytest.param("a\0b", "NUL", id="NUL"),
        pytest.param("\ud800", "half a character", id="surrogate"),
        pytest.param("a" * 70_000, "at most 65,536 bytes", id="too long a text"),
    ],
)
async def test_what_the_server_cannot_take_is_an_error_of_arguments(
    source: MysqlSource, value: Any, words: str
) -> None:
    with pytest.raises(ArgumentsError, match=words):
        await source.run(make_query("SELECT :v", {"v": value}))


@pytest.mark.parametrize(
    ("ids", "found", "others"),
    [
        pytest.param([2], [2], [1, 3], id="one"),
        pytest.param([3, 1, 3], [1, 3], [2], id="three"),
        pytest.param(list(range(2, 900)), [2, 3], [1], id="many"),
        pytest.param([], [], [1, 2, 3], id="none"),
        pytest.param(None, [], [], id="absent"),
    ],
)
async def test_lists_of_any_length_stand_in_in(
    source: MysqlSource, ids: list[int] | None, found: list[int], others: list[int]
) -> None:
    answers = [
        await source.run(
            make_query(
                f"SELECT id FROM stores WHERE id {word} (:ids) AND :x = 'x' ORDER BY id",  # noqa: S608
                {"ids": ids, "x": "x"},
                lists=("ids",),
            )
        )
        for word in ("IN", "NOT IN")
    ]

    assert [[id_ for (id_,) in answer.rows] for answer in answers] == [found, others]


async def test_value_that_the_column_cannot_hold_is_told_as_such(source: MysqlSource) -> None:
    sql = "SELECT id FROM orders WHERE {} = :given"

    with pytest.raises(
        DataSourceError, match=r"has characters .* CONVERT\(the column USING utf8mb4"
    ):
        await source.run(make_query(sql.format("latin"), {"given": "강남"}))
    converted = sql.format("CONVERT(latin USING utf8mb4)")
    result = await source.run(make_query(converted, {"given": "강남"}))

    assert result.rows == []


async def test_session_is_in_the_zone_of_the_source(shop: MysqlSettings) -> None:
    seoul = replace(shop, time_zone="Asia/Seoul")
    sql = """SELECT moment, moment = :given, timestampdiff(HOUR, utc_timestamp(), now()), NULL
    FROM orders WHERE id = 1"""
    given = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))

    async with MysqlSource(seoul) as source:
        result = await source.run(make_query(sql, {"given": given}))

    # The clock of the server is 00:00 in UTC, which its tables of zones need not know by name.
    assert result.rows == [("2026-01-01T09:00:00+09:00", 1, 9, None)]


async def test_zone_whose_clocks_change_needs_the_tables_of_the_server(
    shop: MysqlSettings,
) -> None:
    berlin = replace(shop, time_zone="Europe/Berlin")

    async with MysqlSource(berlin) as source:
        with pytest.raises(DataSourceUnavailableError):
            await source.run(make_query("SELECT 1"))
    report = await inspect_mysql(berlin)

    assert "time zone: 'Europe/Berlin'" in str(report.findings[0].message)
