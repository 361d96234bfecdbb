"""Data sources that variables define: DATA_SOURCE_<NAME>_URL, with a row each for tools to refer to."""

import logging
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.connection_options import check_engine_options, check_options
from catalog.models import DataSource, Origin
from core.errors import ConfigurationError
from core.messages import message
from gateways.engine import Engine
from gateways.engines import ENGINES

logger = logging.getLogger(__name__)

STARTED_AT = timezone.now()
_VARIABLE = re.compile(r"DATA_SOURCE_([A-Z0-9]+(?:_[A-Z0-9]+)*)_URL")


@dataclass(frozen=True, kw_only=True)
class VariableTarget:
    """Where a variable says that a database is; all but the password are columns of DataSource."""

    engine: str
    path: str = ""
    host: str = ""
    port: int = 5432
    database: str = ""
    username: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    password: str = field(default="", repr=False)

    def columns(self) -> dict[str, Any]:
        """Values by column; without the password, which is never stored."""
        return {name: value for name, value in asdict(self).items() if name != "password"}


def variable_name(source_name: str) -> str:
    """The variable of a data source: sales-eu is DATA_SOURCE_SALES_EU_URL."""
    return f"DATA_SOURCE_{source_name.upper().replace('-', '_')}_URL"


def find_names() -> list[str]:
    """Names of the data sources that variables of this process define."""
    matches = [_VARIABLE.fullmatch(name) for name, value in os.environ.items() if value]
    return sorted(match[1].lower().replace("_", "-") for match in matches if match)


@sensitive_variables()
def read_target(source_name: str) -> VariableTarget:
    """What the variable of a data source says. Raises ConfigurationError, which holds no part of it."""
    variable = variable_name(source_name)
    url = os.environ.get(variable)
    if not url:
        raise ConfigurationError(
            message(
                "environment.missing",
                "the variable {variable}, which defines this data source, is not set",
                variable=variable,
            )
        )
    scheme = url.partition(":")[0]
    for engine in ENGINES.values():
        if scheme in engine.schemes:
            return _read_url(engine, variable, url)
    raise ConfigurationError(
        message(
            "environment.form",
            "{variable} must be one of {forms}",
            variable=variable,
            forms=", ".join(engine.url_form for engine in ENGINES.values()),
        )
    )


def sync_environment_sources(
    rows: Iterable[DataSource] | None = None, *, overwrites: bool = True
) -> int:
    """Make the rows of variables say what the variables say; how many were written.

    A hand-made row wins over a variable of its name. A row whose variable is gone stays: tools refer
    to it, and `read_target` tells them why it cannot be used. With `overwrites` False, a row is left
    alone that was written after this process began.
    """
    names = find_names()
    if not names:
        return 0
    known = {
        variable_name(row.name): row for row in (DataSource.objects.all() if rows is None else rows)
    }
    count = 0
    for name in names:
        row = known.get(variable_name(name))
        if row and find_ignored_variable(row):
            logger.warning(
                "%s is ignored: the data source %s was made by hand", variable_name(name), row.name
            )
        # Two processes with different variables would otherwise overwrite one another for ever.
        elif row is None or overwrites or row.updated_at < STARTED_AT:
            count += _write_row(name, row)
    return count


def _write_row(name: str, row: DataSource | None) -> bool:
    """Make the row of a variable say what it says; whether anything was written."""
    try:
        columns = read_target(row.name if row else name).columns()
    except ConfigurationError as error:
        logger.warning("data source %s cannot be used: %s", row.name if row else name, error)
        columns = {}
    if row is None:
        new = DataSource(name=name, origin=Origin.ENVIRONMENT, **columns)
        # Another process may do the same at this moment.
        DataSource.objects.bulk_create([new], ignore_conflicts=True)
        return True
    if all(getattr(row, column) == value for column, value in columns.items()):
        return False
    rows = DataSource.objects.filter(pk=row.pk, origin=Origin.ENVIRONMENT)
    return bool(rows.update(**columns, updated_at=timezone.now()))


def find_ignored_variable(source: DataSource) -> str:
    """The variable that a hand-made row hides, '' if none."""
    variable = variable_name(source.name)
    return variable if os.environ.get(variable) and not source.is_from_environment else ""


@sensitive_variables()
def _read_url(engine: Engine, variable: str, url: str) -> VariableTarget:
    columns = engine.read_url(url)
    if columns is None:
        fault = engine.url_fault
        raise ConfigurationError(replace(fault, values={**fault.values, "variable": variable}))
    target = VariableTarget(engine=engine.name, **columns)
    try:
        check_options(target.options)
        check_engine_options(engine.name, target.options)
    except ValidationError as error:
        raise ConfigurationError(
            message(
                "environment.fault",
                "{variable}: {reason}",
                variable=variable,
                reason=" ".join(error.messages),
            )
        ) from None
    if not all(getattr(target, name) for name in engine.needed):
        raise ConfigurationError(
            message(
                "environment.role_and_database",
                "{variable} must name role and database, as in {postgresql}",
                variable=variable,
                postgresql=engine.url_form,
            )
        )
    return target
