"""The rows that are served, which other systems read and write too, and what serving keeps of them."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Func, Prefetch, Q
from django.db.models.functions import MD5, Now, Trim, Upper
from django.utils.translation import gettext_lazy as _

from catalog.models import CatalogColumn, CatalogTable, DataSource
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    DEFAULT_TIMEOUT_MS,
    ArgumentsPolicy,
    Binding,
    ParameterType,
    ResultFormat,
)
from tools.aliases import ToolAlias
from tools.fields import UtcNowText, YesNoField
from tools.resting import RestingTool
from tools.revisions import RegistryChange, RegistryRevision
from tools.searches import SearchUse, ToolSearch

__all__ = [
    "RegistryChange",
    "RegistryRevision",
    "RestingTool",
    "SearchUse",
    "ToolAlias",
    "ToolSearch",
]


DESCRIPTIONS_HELP = _(
    'By language, as in {"ko": "…", "ja": "…"}; AGENT_LANGUAGE says which one agents read.'
)


class ToolType(models.TextChoices):
    """Kinds of logic."""

    SQL = "SQL", _("SQL query")
    PYTHON = "PYTHON", _("Python")
    HTTP = "HTTP", _("HTTP operation")


class ParameterBinding(models.TextChoices):
    """Who gives a parameter's value."""

    AGENT = Binding.AGENT.value, _("the agent")
    FIXED = Binding.FIXED.value, _("a fixed value")
    KEY_OWNER = Binding.KEY_OWNER.value, _("the owner of the API key")
    KEY_ID = Binding.KEY_ID.value, _("the id of the API key")
    CLAIM = Binding.CLAIM.value, _("a claim of the API key")


class RecordedArguments(models.TextChoices):
    """What the call log keeps of a call's arguments."""

    FULL = ArgumentsPolicy.FULL.value, _("names and values")
    HASH = ArgumentsPolicy.HASH.value, _("names, and hashes of the values")
    NAMES = ArgumentsPolicy.NAMES.value, _("names only")
    NONE = ArgumentsPolicy.NONE.value, _("nothing")


class ToolDefinitionQuerySet(models.QuerySet["ToolDefinition"]):
    """Reads of tools."""

    def active(self) -> "ToolDefinitionQuerySet":
        """Tools to be served; also those whose flag is neither Y nor N, which get a reason."""
        return self.present().exclude(is_active=False)

    def served(self) -> "ToolDefinitionQuerySet":
        """Active tools with their parameters in order, ready for `build_spec`."""
        return self.active().whole().order_by("name")

    def whole(self) -> "ToolDefinitionQuerySet":
        """Tools with their data source and their parameters in order, ready for `ToolDocument.of_row`."""
        parameters = Prefetch("parameters", ToolParameter.objects.order_by("position", "id"))
        return self.select_related("data_source").prefetch_related(parameters)

    def archived(self) -> "ToolDefinitionQuerySet":
        """Tools that were taken out of sight."""
        return self.filter(archived_at__isnull=False)

    def present(self) -> "ToolDefinitionQuerySet":
        """Tools that are not archived, active or not."""
        return self.filter(archived_at=None)


# What agents mix up: see core.lints.descriptions, which compares those that are found by them.
FOLDED_NAME = Func(
    F("name"),
    template="lower(translate(%(expressions)s, '_-', ''))",
    output_field=models.TextField(),
)
FOLDED_TEXT = MD5(Upper(Trim("description_agent")))


class ToolDefinition(models.Model):
    """One tool. Only the first nine columns are needed by a writer; the others have defaults."""

    id = models.AutoField(primary_key=True)
    name = models.TextField(
        _("name"),
        unique=True,
        help_text=_("What the agent calls: small letters, digits and underscores."),
    )
    description_agent = models.TextField(
        _("description for the agent"),
        default="",
        db_default="",
        help_text=_("What it returns, when to use it, when not to."),
    )
    description_user = models.TextField(
        _("description for people"), default="", db_default="", blank=True
    )
    tool_type = models.TextField(
        _("kind"), choices=ToolType, default=ToolType.SQL, db_default=ToolType.SQL
    )
    definition = models.TextField(
        _("definition"),
        help_text=_(
            "A SQL query with :name parameters, a Python expression such as num1 * num2, or a script of several lines."
        ),
    )
    is_active = YesNoField(_("active"), default=True, db_default="Y")
    reg_dt = models.TextField(_("registered"), db_default=UtcNowText(), editable=False)
    created_by = models.TextField(_("created by"), default="", db_default="", blank=True)

    descriptions = models.JSONField(
        _("descriptions in other languages"),
        default=dict,
        db_default={},
        blank=True,
        help_text=DESCRIPTIONS_HELP,
    )
    title = models.TextField(_("title"), default="", db_default="", blank=True)
    data_source = models.ForeignKey(
        DataSource,
        verbose_name=_("data source"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        help_text=_("Empty: the database of the POSTGRESQL_DB_* variables."),
    )
    result_format = models.TextField(
        _("result format"),
        choices=[(name.value, name.value) for name in ResultFormat],
        default=ResultFormat.JSON.value,
        db_default=ResultFormat.JSON.value,
    )
    row_limit = models.PositiveIntegerField(
        _("row limit"),
        default=DEFAULT_ROW_LIMIT,
        db_default=DEFAULT_ROW_LIMIT,
        validators=[MinValueValidator(1)],
    )
    byte_limit = models.PositiveIntegerField(
        _("byte limit"),
        default=DEFAULT_BYTE_LIMIT,
        db_default=DEFAULT_BYTE_LIMIT,
        validators=[MinValueValidator(1)],
    )
    timeout_ms = models.PositiveIntegerField(
        _("time-out, ms"),
        default=DEFAULT_TIMEOUT_MS,
        db_default=DEFAULT_TIMEOUT_MS,
        validators=[MinValueValidator(1)],
    )
    breaker_errors = models.PositiveIntegerField(
        _("errors until it rests"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_(
            "After so many failures of its data source, and time-outs, within the minutes beside, the"
            " tool rests for 30 seconds; then one call tries it. Empty: it never rests."
        ),
    )
    breaker_minutes = models.PositiveIntegerField(
        _("within so many minutes"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    plan_cost_limit = models.PositiveIntegerField(
        _("planned cost ceiling"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_(
            "In the unit of PostgreSQL's planner: a query over it is not published. Empty: as its data"
            " source says."
        ),
    )
    annotations = models.JSONField(
        _("annotations"),
        default=dict,
        db_default={},
        blank=True,
        help_text=_('MCP hints, as in {"readOnlyHint": true}.'),
    )
    tags = models.JSONField(_("tags"), default=list, db_default=[], blank=True)
    # As core.charts reads it; NULL draws the first guess.
    chart = models.JSONField(_("chart"), null=True, editable=False)
    record_arguments = models.TextField(
        _("arguments in the call log"),
        choices=RecordedArguments,
        default=RecordedArguments.FULL,
        db_default=RecordedArguments.FULL,
        help_text=_(
            "What is kept of a call's arguments; CALL_LOG_ARGUMENTS may keep less of all tools."
        ),
    )
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    updated_by = models.TextField(_("updated by"), default="", db_default="", blank=True)
    # The newest ToolVersion and what it holds; the rows say something else after a write by another program.
    version = models.PositiveIntegerField(_("version"), default=0, db_default=0, editable=False)
    content_hash = models.TextField(default="", db_default="", editable=False)
    archived_at = models.DateTimeField(_("archived"), null=True, editable=False)

    objects = ToolDefinitionQuerySet.as_manager()

    class Meta:
        db_table = "h_custom_tool"
        verbose_name = _("tool")
        verbose_name_plural = _("tools")
        ordering = ["name"]
        constraints = [
            # Whichever program writes: an archived tool is never served.
            models.CheckConstraint(
                condition=Q(archived_at=None) | ~Q(is_active=True),
                name="h_custom_tool_archived_is_inactive",
                violation_error_message=_("An archived tool cannot be active; restore it first."),
            )
        ]
        indexes = [
            models.Index(FOLDED_NAME, name="h_custom_tool_folded_name"),
            models.Index(FOLDED_TEXT, name="h_custom_tool_folded_text"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def source_name(self) -> str | None:
        """The name of the data source; None for the default."""
        return self.data_source.name if self.data_source else None


class ToolParameter(models.Model):
    """One parameter of a tool."""

    id = models.AutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition, verbose_name=_("tool"), related_name="parameters", on_delete=models.CASCADE
    )
    param_name = models.TextField(_("name"))
    param_type = models.TextField(
        _("type"),
        choices=[(name.value, name.value) for name in ParameterType],
        default=ParameterType.STRING.value,
        db_default=ParameterType.STRING.value,
    )
    is_required = YesNoField(_("required"), default=True, db_default="Y")
    description = models.TextField(_("description"), default="", db_default="", blank=True)

    descriptions = models.JSONField(
        _("descriptions in other languages"),
        default=dict,
        db_default={},
        blank=True,
        help_text=DESCRIPTIONS_HELP,
    )
    position = models.IntegerField(_("position"), default=0, db_default=0)
    default = models.JSONField(
        _("default"),
        null=True,
        blank=True,
        help_text=_("JSON; empty: an optional one becomes NULL."),
    )
    nullable = YesNoField(_("may be null"), default=False, db_default="N")
    allowed_values = models.JSONField(_("allowed values"), default=list, db_default=[], blank=True)
    minimum = models.TextField(_("minimum"), null=True, blank=True)  # noqa: DJ001 - no bound is NULL, not ''
    maximum = models.TextField(_("maximum"), null=True, blank=True)  # noqa: DJ001
    pattern = models.TextField(_("pattern"), null=True, blank=True)  # noqa: DJ001
    example = models.JSONField(_("example"), null=True, blank=True)
    binding = models.TextField(
        _("value from"),
        choices=ParameterBinding,
        default=ParameterBinding.AGENT,
        db_default=ParameterBinding.AGENT,
        help_text=_(
            "Who gives the value. All but the agent's are hidden from agents, always given, and"
            " refused when an agent sends them."
        ),
    )
    bound_value = models.JSONField(
        _("bound value"),
        null=True,
        blank=True,
        help_text=_(
            'JSON; the fixed value, as in "KR" or 5, or the claim\'s name, as in "tenant".'
            " Empty for the others."
        ),
    )

    class Meta:
        db_table = "h_custom_tool_param"
        verbose_name = _("parameter")
        verbose_name_plural = _("parameters")
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.param_name


class QuarantinedTool(models.Model):
    """Why an active tool is not served; written by runtimes, in its own table so as not to bump the revision."""

    tool = models.OneToOneField(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="quarantine",
        primary_key=True,
        on_delete=models.CASCADE,
    )
    reason = models.TextField(_("reason"))
    reason_message = models.JSONField(null=True, editable=False)
    since = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        db_table = "h_custom_tool_quarantine"
        verbose_name = _("quarantined tool")
        verbose_name_plural = _("quarantined tools")

    def __str__(self) -> str:
        return self.reason


class ToolUse(models.Model):
    """A tool's statement uses a table, and a column of it; NULL where it uses none of its columns.

    Derived from the statement by `tools.uses.refresh`; tables and columns that are gone are kept too.
    """

    tool = models.ForeignKey(
        ToolDefinition, verbose_name=_("tool"), related_name="uses", on_delete=models.CASCADE
    )
    table = models.ForeignKey(
        CatalogTable, verbose_name=_("table"), related_name="tool_uses", on_delete=models.CASCADE
    )
    column = models.ForeignKey(
        CatalogColumn,
        verbose_name=_("column"),
        null=True,
        related_name="tool_uses",
        on_delete=models.CASCADE,
    )

    class Meta:
        db_table = "h_custom_tool_use"
        verbose_name = _("use of a table")
        verbose_name_plural = _("uses of tables")
        constraints = [
            models.UniqueConstraint(
                fields=["tool", "table", "column"],
                name="h_custom_tool_use_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.tool_id}: {self.table_id}.{self.column_id}"


class ToolUseState(models.Model):
    """What a tool's stored uses were made of, so that only those of changed tools are made again.

    `unknown_columns` are those that a statement names and its table never had:
    [{"table_id": 1, "column": "mail"}].
    """

    tool = models.OneToOneField(
        ToolDefinition, related_name="use_state", primary_key=True, on_delete=models.CASCADE
    )
    fingerprint = models.TextField()
    unknown_columns = models.JSONField(default=list, db_default=[])

    class Meta:
        db_table = "h_custom_tool_use_state"

    def __str__(self) -> str:
        return f"{self.tool_id}: {self.fingerprint}"


class ToolVector(models.Model):
    """The two vectors of a tool by one model: of its name's words, and of these with what it does.

    Float32 numbers, little-endian, one after the other. `content_hash` is that of the texts that were
    embedded. Built-in tools have rows too, so the name identifies the tool.
    """

    id = models.BigAutoField(primary_key=True)
    tool_name = models.TextField()
    model = models.TextField()
    content_hash = models.TextField()
    name_vector = models.BinaryField()
    text_vector = models.BinaryField()
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_tool_vector"
        constraints = [
            models.UniqueConstraint(fields=["tool_name", "model"], name="h_tool_vector_once")
        ]

    def __str__(self) -> str:
        return f"{self.tool_name} {self.model}"
