"""A data source that another program registered is checked by the runtime that serves it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from catalog.models import CheckState, DataSource, DefaultSourceCheck, SourceCheck
from catalog.sources.environment import STARTED_AT
from catalog.sources.states import Standing, read_proof
from config.services.postgres import SUPERUSER_NAME, EmbeddedPostgres
from mcp_runtime import jobs
from tests.factories import make_tool
from tests.mcp_runtime.conftest import Serve
from tests.waiting import eventually
from tools.models import QuarantinedTool


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SOURCE_CHECK_INTERVAL_S", 0.1)


@pytest.fixture
def make_source(
    transactional_db: None, embedded_postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """A row as psql writes it, for a role of the demo database."""

    def make(role: Any) -> DataSource:
        settings = embedded_postgres.dsn("demo", role)
        username = settings.split("//")[1].split(":")[0]
        monkeypatch.setenv("ROLE_PASSWORD", embedded_postgres.passwords[role])
        return DataSource.objects.create(
            name="shop",
            host="127.0.0.1",
            port=embedded_postgres.port,
            database="demo",
            username=username,
            password_reference="env:ROLE_PASSWORD",
        )

    return make


async def test_source_of_a_superuser_takes_its_tools_down(serve: Serve, make_source: Any) -> None:
    source = await sync_to_async(make_source)("superuser")
    await sync_to_async(make_tool)(name="risky", data_source=source)
    await sync_to_async(make_tool)(name="other")

    async with serve() as served:

        async def is_alone() -> bool:
            return await served.names() == ["other"]

        await eventually(is_alone)
        answer = await served.call("risky")

    reason = await QuarantinedTool.objects.values_list("reason", flat=True).aget()
    assert "superuser" in reason
    assert answer.is_error


async def test_default_source_is_checked_at_each_start(
    serve: Serve, transactional_db: None
) -> None:
    checks = DefaultSourceCheck.objects

    async with serve():
        await eventually(checks.aexists)
    kept = await checks.aget()
    proof = read_proof(kept)
    await checks.aupdate(checked_at=STARTED_AT - timedelta(seconds=1), target="of other variables")

    async with serve():
        await eventually(checks.filter(target=kept.target).aexists)

    assert proof.standing == Standing.OK
    # One way more where the database has tables.
    assert re.fullmatch("A write was tried in [23] ways and refused.", proof.text)


async def test_default_source_with_a_bad_role_is_told_and_served(
    serve: Serve, transactional_db: None, embedded_postgres: EmbeddedPostgres, settings: Any
) -> None:
    settings.POSTGRESQL_DB_USER = SUPERUSER_NAME
    settings.POSTGRESQL_DB_PASS = embedded_postgres.passwords["superuser"]
    await sync_to_async(make_tool)(name="risky")

    async with serve() as served:
        await eventually(DefaultSourceCheck.objects.aexists)
        answer = await served.call("risky")

    assert (await DefaultSourceCheck.objects.aget()).state == CheckState.REFUSED
    assert answer.structured_content["rows"] == [[1]]


async def test_source_of_a_reader_is_checked_and_served(serve: Serve, make_source: Any) -> None:
    source = await sync_to_async(make_source)("demo_reader")
    await sync_to_async(make_tool)(name="safe", data_source=source)

    async with serve() as served:
        await eventually(SourceCheck.objects.aexists)
        answer = await served.call("safe")

    check = await SourceCheck.objects.aget()
    assert check.state in {CheckState.OK, CheckState.WARNING}
    assert answer.structured_content["rows"] == [[1]]
