"""What a check found is kept, and an unsafe source is not used."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from catalog.models import CheckState, DataSource, SourceCheck
from catalog.sources.checking import check_sources, store_report
from catalog.sources.settings import read_sources
from config.services.ports import choose_free_port
from gateways.check_report import ConnectionReport, Finding, ok, refused, warning
from tests.catalog.conftest import MakeSource
from tools.models import RegistryRevision

pytestmark = pytest.mark.django_db

Address = Callable[[str], dict[str, Any]]

SAFE = ok("reader", "The role can only read.")
UNSAFE = refused("superuser", "The role is a superuser; use a reader.")
AWAY = refused("connection-refused", "Nothing listens at this host and port.")


def report_of(*findings: Finding, server: str = "PostgreSQL 18.6") -> ConnectionReport:
    return ConnectionReport(server=server, findings=findings)


def test_reader_of_a_real_database_may_be_used(make_source: MakeSource, address: Address) -> None:
    make_source(**address("demo_reader"))

    (check,) = check_sources(list(DataSource.objects.all()))

    assert check.state in {CheckState.OK, CheckState.WARNING}
    assert check.report["role"] == "demo_reader"
    assert "sales" in read_sources().usable


def test_superuser_of_a_real_database_is_refused(make_source: MakeSource, address: Address) -> None:
    make_source(**address("superuser"))

    (check,) = check_sources(list(DataSource.objects.all()))

    read = read_sources()
    assert check.state == CheckState.REFUSED
    assert "sales" not in read.usable
    assert check.refusal in str(read.refused["sales"])


def test_file_is_checked(make_source: MakeSource, shop: Path) -> None:
    empty = {"host": "", "database": "", "username": ""}
    make_source(engine="sqlite", path=str(shop), **empty)

    (check,) = check_sources(list(DataSource.objects.all()))

    assert check.state in {CheckState.OK, CheckState.WARNING}
    assert check.report["server"].startswith("SQLite")


def test_database_that_is_away_is_not_refused(make_source: MakeSource) -> None:
    make_source(host="127.0.0.1", port=choose_free_port())

    (check,) = check_sources(list(DataSource.objects.all()))

    assert (check.state, check.refusal) == (CheckState.UNREACHABLE, "")
    assert "sales" in read_sources().usable


def test_source_without_its_password_is_said(make_source: MakeSource) -> None:
    make_source(password_reference="env:NOT_THERE")

    (check,) = check_sources(list(DataSource.objects.all()))

    assert check.state == CheckState.UNREACHABLE
    assert check.summary == (
        "The data source is not set up correctly: the environment variable NOT_THERE is not set."
    )


@pytest.mark.parametrize(
    ("findings", "state", "summary"),
    [
        pytest.param([SAFE], CheckState.OK, SAFE.text, id="safe"),
        pytest.param([SAFE, warning("x", "Hm.")], CheckState.WARNING, "Hm.", id="warning"),
        pytest.param([SAFE, UNSAFE], CheckState.REFUSED, UNSAFE.text, id="unsafe"),
        pytest.param(
            [SAFE, refused("too-slow", "Too slow.")],
            CheckState.UNREACHABLE,
            "Too slow.",
            id="cut short",
        ),
    ],
)
def test_worst_finding_is_the_summary(
    make_source: MakeSource, findings: list[Finding], state: CheckState, summary: str
) -> None:
    check = store_report(make_source(), report_of(*findings))

    assert (check.state, check.summary) == (state, summary)


def test_database_that_went_away_stays_refused(make_source: MakeSource) -> None:
    source = make_source()
    store_report(source, report_of(UNSAFE))

    check = store_report(source, report_of(AWAY, server=""))

    assert (check.state, check.refusal) == (CheckState.UNREACHABLE, UNSAFE.text)
    assert "sales" in read_sources().refused


def test_mended_source_is_used_again(make_source: MakeSource) -> None:
    source = make_source()
    store_report(source, report_of(UNSAFE))

    store_report(source, report_of(SAFE))

    assert "sales" in read_sources().usable


def test_check_of_another_role_does_not_count(make_source: MakeSource) -> None:
    source = make_source()
    store_report(source, report_of(UNSAFE))

    DataSource.objects.filter(pk=source.pk).update(username="reader")

    assert "sales" in read_sources().usable


def bump(source: DataSource, report: ConnectionReport) -> int:
    before = RegistryRevision.current()
    store_report(source, report)
    return RegistryRevision.current() - before


def test_runtimes_hear_of_a_refusal_and_of_its_end_only(make_source: MakeSource) -> None:
    source = make_source()

    bumps = [
        bump(source, report_of(*findings)) for findings in ([SAFE], [UNSAFE], [UNSAFE], [SAFE])
    ]

    assert bumps == [0, 1, 0, 1]


def test_command_says_what_cannot_be_used(
    make_source: MakeSource, address: Address, shop: Path
) -> None:
    make_source("unsafe", **address("superuser"))
    empty = {"host": "", "database": "", "username": ""}
    make_source("file", engine="sqlite", path=str(shop), **empty)
    output = io.StringIO()

    with pytest.raises(CommandError, match="1 of 2 data sources cannot be used"):
        call_command("check_sources", stdout=output)

    assert "unsafe: refused: " in output.getvalue()
    assert SourceCheck.objects.count() == 2


def test_command_names_a_source_that_does_not_exist() -> None:
    with pytest.raises(CommandError, match="there is no data source sale"):
        call_command("check_sources", "sale")
