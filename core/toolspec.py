"""A tool as frozen plain data: what the editor tries, the runtime serves and history compares."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from core.messages import message

if TYPE_CHECKING:
    from core.parameter_types.kind import Kind

JsonValue = Any  # None, bool, int, float, str, or lists and string-keyed dicts of these.

DEFAULT_ROW_LIMIT = 1_000
DEFAULT_BYTE_LIMIT = 1_000_000
DEFAULT_TIMEOUT_MS = 10_000

# What the kinds of logic are called in other texts.
STATEMENT = message("logic.statement", "statement")
EXPRESSION = message("logic.expression", "expression")
SCRIPT = message("logic.script", "script")


class ParameterType(StrEnum):
    """Types that a parameter may declare; the first three are the oldest and stay valid for ever."""

    STRING = "STRING"
    NUMBER = "NUMBER"
    BOOLEAN = "BOOLEAN"
    INTEGER = "INTEGER"
    DATE = "DATE"
    DATETIME = "DATETIME"
    ENUM = "ENUM"
    STRING_LIST = "STRING_LIST"
    NUMBER_LIST = "NUMBER_LIST"
    INTEGER_LIST = "INTEGER_LIST"
    JSON = "JSON"
    UUID = "UUID"
    DECIMAL = "DECIMAL"

    @property
    def kind(self) -> "Kind":
        """What the type knows of its values."""
        # Here, since script processes read this module and can import no package.
        from core.parameter_types.registry import PARAMETER_TYPES  # noqa: PLC0415

        return PARAMETER_TYPES[self]

    @property
    def is_list(self) -> bool:
        return self.kind.item is not None


class Presence(StrEnum):
    """What an absent argument means; one of three states, never a mix."""

    REQUIRED = "required"
    OPTIONAL_NULL = "optional_null"
    OPTIONAL_DEFAULT = "optional_default"


class Binding(StrEnum):
    """Where a parameter's value comes from; agents see and give only those of AGENT."""

    AGENT = "AGENT"
    FIXED = "FIXED"
    KEY_OWNER = "KEY_OWNER"
    KEY_ID = "KEY_ID"
    CLAIM = "CLAIM"


class Dialect(StrEnum):
    """The SQL that a data source speaks."""

    POSTGRESQL = "postgresql"
    SQLITE = "sqlite"
    MYSQL = "mysql"  # And MariaDB's.
    DUCKDB = "duckdb"


class ArgumentsPolicy(StrEnum):
    """What is recorded of a call's arguments, the strictest last."""

    FULL = "full"
    HASH = "hash"
    NAMES = "names"
    NONE = "none"

    @staticmethod
    def strictest(*policies: "ArgumentsPolicy") -> "ArgumentsPolicy":
        """That which keeps the least."""
        return max(policies, key=list(ArgumentsPolicy).index)


class ResultFormat(StrEnum):
    """How the rows of an answer are written as text."""

    JSON = "JSON"
    TEXT = "TEXT"
    CSV = "CSV"
    MARKDOWN = "MARKDOWN"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSpec:
    """One declared parameter.

    `default` is JSON and read only with Presence.OPTIONAL_DEFAULT. `nullable` says that a caller may
    pass null explicitly (an OPTIONAL_NULL parameter always may). `minimum` and `maximum` bound numbers,
    or dates as ISO 8601 text. `allowed_values` is needed by ENUM and allowed for STRING and numbers.
    `bound_value` is the value of a FIXED parameter and the claim's name of a CLAIM one.
    """

    name: str
    type: ParameterType
    description: str = ""
    # Language and text, where there are others than the default one.
    descriptions: tuple[tuple[str, str], ...] = ()
    presence: Presence = Presence.REQUIRED
    default: JsonValue = None
    nullable: bool = False
    allowed_values: tuple[str | int | float, ...] = ()
    minimum: int | float | str | None = None
    maximum: int | float | str | None = None
    pattern: str | None = None
    example: JsonValue = None
    binding: Binding = Binding.AGENT
    bound_value: JsonValue = None

    @property
    def accepts_null(self) -> bool:
        return self.nullable or self.presence is Presence.OPTIONAL_NULL


@dataclass(frozen=True, slots=True)
class SqlLogic:
    """One SQL query; `data_source` is a data source's name, None the default database."""

    statement: str
    data_source: str | None = None
    dialect: Dialect = Dialect.POSTGRESQL


@dataclass(frozen=True, slots=True)
class ExpressionLogic:
    """One Python expression over the parameters."""

    expression: str


@dataclass(frozen=True, slots=True)
class ScriptLogic:
    """Several lines of Python over the parameters, run in a process of their own."""

    script: str


@dataclass(frozen=True, slots=True)
class HttpLogic:
    """One operation of an HTTP service, as JSON text; `data_source` is the service's name."""

    operation: str
    data_source: str | None = None


Logic = SqlLogic | ExpressionLogic | ScriptLogic | HttpLogic


@dataclass(frozen=True, slots=True)
class BreakerRule:
    """So many errors within so many minutes are too many: the tool is left alone for a while."""

    errors: int
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A whole tool. `annotations` holds MCP's own keys (`readOnlyHint`, ...); `version` is 0 if unknown."""

    id: int
    name: str
    logic: Logic
    title: str = ""
    description: str = ""
    # Language and text, where there are others than the default one.
    descriptions: tuple[tuple[str, str], ...] = ()
    parameters: tuple[ParameterSpec, ...] = ()
    result_format: ResultFormat = ResultFormat.JSON
    row_limit: int = DEFAULT_ROW_LIMIT
    byte_limit: int = DEFAULT_BYTE_LIMIT
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    annotations: dict[str, bool] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    # What calls are recorded with; agents see no difference.
    version: int = field(default=0, compare=False)
    record_arguments: ArgumentsPolicy = field(default=ArgumentsPolicy.FULL, compare=False)
    # None: it is called however often it fails.
    breaker: BreakerRule | None = None
    # The most that the database's planner may estimate for the query; None: as the data source says.
    plan_cost_limit: int | None = None
    # As core.charts reads it, of a tool whose agents get its picture; else None.
    chart: Mapping[str, JsonValue] | None = None
