"""The state of a data source in words for its page: what the last check found, or why none was made."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _

from access.reader_language import in_language
from catalog.models import CheckState, DataSource, KeptCheck
from catalog.sources.checking import find_check
from catalog.sources.connections import find_target
from catalog.sources.environment import find_ignored_variable, find_names, variable_name
from catalog.sources.findings import read_findings, translate_summary
from core.errors import ConfigurationError
from gateways.check_report import Level


class Standing(StrEnum):
    """How much there is to do about it."""

    OK = "ok"
    WARNING = "warn"
    REFUSED = "bad"
    UNKNOWN = ""


_STANDINGS = {
    CheckState.OK: Standing.OK,
    CheckState.WARNING: Standing.WARNING,
    CheckState.UNREACHABLE: Standing.WARNING,
    CheckState.REFUSED: Standing.REFUSED,
}


@dataclass(frozen=True, slots=True)
class SourceState:
    """A word of the state and a sentence on the worst of it, '' if there is nothing to say."""

    standing: Standing
    label: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReadOnlyProof:
    """What became of the writes that the last check tried."""

    standing: Standing
    text: str


def read_state(source: DataSource) -> SourceState:
    """Of a row with its `last_check`: as it is now, not as it was when it was checked."""
    if source.is_from_environment and source.name not in find_names():
        text = _("The variable %s is not set.") % variable_name(source.name)
        return SourceState(Standing.REFUSED, _("cannot be used"), text)
    try:
        target = find_target(source)
    except ConfigurationError as error:
        return SourceState(Standing.REFUSED, _("cannot be used"), in_language(error))
    check = find_check(source)
    if check is None:
        return SourceState(Standing.UNKNOWN, _("not checked yet"))
    if check.target != target:
        text = _("It was changed after the last check.")
        return SourceState(Standing.UNKNOWN, _("not checked as it is"), text)
    return state_of_check(check)


def is_as_checked(source: DataSource) -> bool:
    """Whether the last check was of the database and role that the row leads to now."""
    check = find_check(source)
    try:
        return check is not None and check.target == find_target(source)
    except ConfigurationError:
        return False


def state_of_check(check: KeptCheck) -> SourceState:
    """What a check found; without a sentence where all is well."""
    state = CheckState(check.state)
    text = "" if state is CheckState.OK else translate_summary(check)
    return SourceState(_STANDINGS[state], str(state.label), text)


def read_proof(check: KeptCheck | None) -> ReadOnlyProof:
    """Whether writes were tried and refused."""
    findings = read_findings(check) if check else []
    for finding in findings:
        if finding.code in ("writes-refused", "write-accepted"):
            standing = Standing.OK if finding.level is Level.OK else Standing.REFUSED
            return ReadOnlyProof(standing, in_language(finding.message))
    return ReadOnlyProof(Standing.UNKNOWN, _("No write was tried yet."))


def explain_origin(source: DataSource) -> str:
    """Where the connection is said, and which variable is ignored for it."""
    if source.is_from_environment:
        text = _("The variable %s; change it there and start again.")
        return text % variable_name(source.name)
    if variable := find_ignored_variable(source):
        return _("This form; the variable %s is ignored for it.") % variable
    return _("This form.")
