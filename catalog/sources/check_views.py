"""A check as its page shows it: stages, what was asked as whom, and the SQL of a better role."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from catalog.models import CheckState, DataSource, Engine, SourceCheck
from catalog.sources.checking import state_of
from catalog.sources.finding_texts import read_findings
from catalog.sources.findings import (
    LONGEST_CHECK_S,
    StageOutcome,
    group_by_stage,
    list_stages,
)
from gateways.checks.report import ConnectionReport


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """What a check said; `checked_at` is None of one that is not kept."""

    state: CheckState
    stages: list[StageOutcome]
    server: str = ""
    role: str = ""
    role_sql: str = ""
    checked_at: datetime | None = None
    is_refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPanel:
    """The part of a page that shows a check and asks for another one."""

    address: str
    longest_s: int
    pending: list[StageOutcome] = field(default_factory=list)
    check: CheckView | None = None
    is_outdated: bool = False


def view_of_check(engine: str, check: SourceCheck) -> CheckView:
    """A stored check; other programs write rows too, so its report may be anything."""
    report = check.report if isinstance(check.report, Mapping) else {}
    return CheckView(
        state=CheckState(check.state),
        stages=group_by_stage(engine, read_findings(check)),
        server=str(report.get("server", "")),
        role=str(report.get("role", "")),
        role_sql=str(report.get("role_sql", "")),
        checked_at=check.checked_at,
        is_refused=bool(check.refusal),
    )


def view_of_report(engine: str, report: ConnectionReport) -> CheckView:
    """A check that is not kept."""
    state = state_of(report)
    return CheckView(
        state=state,
        stages=group_by_stage(engine, report.findings),
        server=report.server,
        role=report.role,
        role_sql=report.role_sql,
        is_refused=state is CheckState.REFUSED,
    )


def make_panel(
    source: DataSource, address: str, check: CheckView | None, *, is_outdated: bool = False
) -> CheckPanel:
    """The panel of a data source, which asks at `address`."""
    engine = Engine(source.engine) if source.engine in Engine.values else Engine.POSTGRESQL
    return CheckPanel(
        address=address,
        longest_s=LONGEST_CHECK_S[engine],
        pending=list_stages(engine),
        check=check,
        is_outdated=is_outdated,
    )
