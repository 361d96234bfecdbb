"""What is served: tools, their parameters and old names, what they use, and how agents found them."""

import uuid

from django.core.validators import MinValueValidator
from django.db import migrations, models
from django.db.models.functions import MD5, Now, Trim, Upper

import tools.fields
from access.foreign_keys import on_delete
from tools.migrations import sql

_ID = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("access", "0001_initial"),
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolDefinition",
            fields=[
                ("id", models.AutoField(primary_key=True, serialize=False)),
                (
                    "name",
                    models.TextField(
                        help_text="What the agent calls: small letters, digits and underscores.",
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                (
                    "description_agent",
                    models.TextField(
                        db_default="",
                        default="",
                        help_text="What it returns, when to use it, when not to.",
                        verbose_name="description for the agent",
                    ),
                ),
                (
                    "description_user",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description for people"
                    ),
                ),
                (
                    "tool_type",
                    models.TextField(
                        choices=[
                            ("SQL", "SQL query"),
                            ("PYTHON", "Python"),
                            ("HTTP", "HTTP operation"),
                        ],
                        db_default="SQL",
                        default="SQL",
                        verbose_name="kind",
                    ),
                ),
                (
                    "definition",
                    models.TextField(
                        help_text="A SQL query with :name parameters, a Python expression such as num1 * num2, or a script of several lines.",
                        verbose_name="definition",
                    ),
                ),
                (
                    "is_active",
                    tools.fields.YesNoField(db_default="Y", default=True, verbose_name="active"),
                ),
                (
                    "reg_dt",
                    models.TextField(
                        db_default=tools.fields.UtcNowText(),
                        editable=False,
                        verbose_name="registered",
                    ),
                ),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                (
                    "title",
                    models.TextField(blank=True, db_default="", default="", verbose_name="title"),
                ),
                (
                    "result_format",
                    models.TextField(
                        choices=[
                            ("JSON", "JSON"),
                            ("TEXT", "TEXT"),
                            ("CSV", "CSV"),
                            ("MARKDOWN", "MARKDOWN"),
                        ],
                        db_default="JSON",
                        default="JSON",
                        verbose_name="result format",
                    ),
                ),
                (
                    "row_limit",
                    models.PositiveIntegerField(
                        db_default=1000,
                        default=1000,
                        validators=[MinValueValidator(1)],
                        verbose_name="row limit",
                    ),
                ),
                (
                    "byte_limit",
                    models.PositiveIntegerField(
                        db_default=1000000,
                        default=1000000,
                        validators=[MinValueValidator(1)],
                        verbose_name="byte limit",
                    ),
                ),
                (
                    "timeout_ms",
                    models.PositiveIntegerField(
                        db_default=10000,
                        default=10000,
                        validators=[MinValueValidator(1)],
                        verbose_name="time-out, ms",
                    ),
                ),
                (
                    "annotations",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text='MCP hints, as in {"readOnlyHint": true}.',
                        verbose_name="annotations",
                    ),
                ),
                (
                    "tags",
                    models.JSONField(blank=True, db_default=[], default=list, verbose_name="tags"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
                (
                    "updated_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="updated by"
                    ),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        db_default=0, default=0, editable=False, verbose_name="version"
                    ),
                ),
                ("content_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "archived_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="archived"),
                ),
                (
                    "data_source",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: the database of the POSTGRESQL_DB_* variables.",
                        null=True,
                        on_delete=models.PROTECT,
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "record_arguments",
                    models.TextField(
                        choices=[
                            ("full", "names and values"),
                            ("hash", "names, and hashes of the values"),
                            ("names", "names only"),
                            ("none", "nothing"),
                        ],
                        db_default="full",
                        default="full",
                        help_text="What is kept of a call's arguments; CALL_LOG_ARGUMENTS may keep less of all tools.",
                        verbose_name="arguments in the call log",
                    ),
                ),
                (
                    "breaker_errors",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="After so many failures of its data source, and time-outs, within the minutes beside, the tool rests for 30 seconds; then one call tries it. Empty: it never rests.",
                        null=True,
                        validators=[MinValueValidator(1)],
                        verbose_name="errors until it rests",
                    ),
                ),
                (
                    "breaker_minutes",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[MinValueValidator(1)],
                        verbose_name="within so many minutes",
                    ),
                ),
                (
                    "plan_cost_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="In the unit of PostgreSQL's planner: a query over it is not published. Empty: as its data source says.",
                        null=True,
                        validators=[MinValueValidator(1)],
                        verbose_name="planned cost ceiling",
                    ),
                ),
                (
                    "descriptions",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text='By language, as in {"ko": "…", "ja": "…"}; AGENT_LANGUAGE says which one agents read.',
                        verbose_name="descriptions in other languages",
                    ),
                ),
                ("chart", models.JSONField(editable=False, null=True, verbose_name="chart")),
            ],
            options={
                "verbose_name": "tool",
                "verbose_name_plural": "tools",
                "db_table": "h_custom_tool",
                "ordering": ["name"],
                "indexes": [
                    models.Index(
                        models.Func(
                            models.F("name"),
                            output_field=models.TextField(),
                            template="lower(translate(%(expressions)s, '_-', ''))",
                        ),
                        name="h_custom_tool_folded_name",
                    ),
                    models.Index(
                        MD5(Upper(Trim("description_agent"))),
                        name="h_custom_tool_folded_text",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("archived_at", None),
                            models.Q(("is_active", True), _negated=True),
                            _connector="OR",
                        ),
                        name="h_custom_tool_archived_is_inactive",
                        violation_error_message="An archived tool cannot be active; restore it first.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolParameter",
            fields=[
                ("id", models.AutoField(primary_key=True, serialize=False)),
                ("param_name", models.TextField(verbose_name="name")),
                (
                    "param_type",
                    models.TextField(
                        choices=[
                            ("STRING", "STRING"),
                            ("NUMBER", "NUMBER"),
                            ("BOOLEAN", "BOOLEAN"),
                            ("INTEGER", "INTEGER"),
                            ("DATE", "DATE"),
                            ("DATETIME", "DATETIME"),
                            ("ENUM", "ENUM"),
                            ("STRING_LIST", "STRING_LIST"),
                            ("NUMBER_LIST", "NUMBER_LIST"),
                            ("INTEGER_LIST", "INTEGER_LIST"),
                            ("JSON", "JSON"),
                            ("UUID", "UUID"),
                            ("DECIMAL", "DECIMAL"),
                        ],
                        db_default="STRING",
                        default="STRING",
                        verbose_name="type",
                    ),
                ),
                (
                    "is_required",
                    tools.fields.YesNoField(db_default="Y", default=True, verbose_name="required"),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                ("position", models.IntegerField(db_default=0, default=0, verbose_name="position")),
                (
                    "default",
                    models.JSONField(
                        blank=True,
                        help_text="JSON; empty: an optional one becomes NULL.",
                        null=True,
                        verbose_name="default",
                    ),
                ),
                (
                    "nullable",
                    tools.fields.YesNoField(
                        db_default="N", default=False, verbose_name="may be null"
                    ),
                ),
                (
                    "allowed_values",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="allowed values"
                    ),
                ),
                ("minimum", models.TextField(blank=True, null=True, verbose_name="minimum")),
                ("maximum", models.TextField(blank=True, null=True, verbose_name="maximum")),
                ("pattern", models.TextField(blank=True, null=True, verbose_name="pattern")),
                ("example", models.JSONField(blank=True, null=True, verbose_name="example")),
                (
                    "binding",
                    models.TextField(
                        choices=[
                            ("AGENT", "the agent"),
                            ("FIXED", "a fixed value"),
                            ("KEY_OWNER", "the owner of the API key"),
                            ("KEY_ID", "the id of the API key"),
                            ("CLAIM", "a claim of the API key"),
                        ],
                        db_default="AGENT",
                        default="AGENT",
                        help_text="Who gives the value. All but the agent's are hidden from agents, always given, and refused when an agent sends them.",
                        verbose_name="value from",
                    ),
                ),
                (
                    "bound_value",
                    models.JSONField(
                        blank=True,
                        help_text='JSON; the fixed value, as in "KR" or 5, or the claim\'s name, as in "tenant". Empty for the others.',
                        null=True,
                        verbose_name="bound value",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="parameters",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "descriptions",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text='By language, as in {"ko": "…", "ja": "…"}; AGENT_LANGUAGE says which one agents read.',
                        verbose_name="descriptions in other languages",
                    ),
                ),
            ],
            options={
                "verbose_name": "parameter",
                "verbose_name_plural": "parameters",
                "db_table": "h_custom_tool_param",
                "ordering": ["position", "id"],
            },
        ),
        migrations.CreateModel(
            name="ToolAlias",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("old_name", models.TextField(verbose_name="old name")),
                (
                    "parameter_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="parameter"
                    ),
                ),
                ("expires_at", models.DateTimeField(verbose_name="accepted until")),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="aliases",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "old name",
                "verbose_name_plural": "old names",
                "db_table": "h_custom_tool_alias",
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("parameter_name", "")),
                        fields=("old_name",),
                        name="h_custom_tool_alias_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("parameter_name", ""), _negated=True),
                        fields=("tool", "old_name"),
                        name="h_custom_tool_alias_of_parameter_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="QuarantinedTool",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="quarantine",
                        serialize=False,
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                ("reason_message", models.JSONField(editable=False, null=True)),
                ("since", models.DateTimeField(db_default=Now(), verbose_name="since")),
            ],
            options={
                "verbose_name": "quarantined tool",
                "verbose_name_plural": "quarantined tools",
                "db_table": "h_custom_tool_quarantine",
            },
        ),
        migrations.CreateModel(
            name="RestingTool",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("since", models.DateTimeField(db_default=Now(), verbose_name="since")),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="rests",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "runtime",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="resting_tools",
                        to="access.runtimeinstance",
                        verbose_name="runtime",
                    ),
                ),
            ],
            options={
                "verbose_name": "resting tool",
                "verbose_name_plural": "resting tools",
                "db_table": "h_custom_tool_rest",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "runtime"), name="h_custom_tool_rest_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RegistryRevision",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("revision", models.BigIntegerField(db_default=0, default=0)),
                ("demo_loaded_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "h_registry_revision",
            },
        ),
        migrations.CreateModel(
            name="RegistryChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("revision", models.BigIntegerField(db_index=True, editable=False)),
                ("tool_id", models.BigIntegerField(editable=False, null=True)),
            ],
            options={
                "verbose_name": "change of a revision",
                "verbose_name_plural": "changes of revisions",
                "db_table": "h_registry_change",
            },
        ),
        migrations.CreateModel(
            name="ToolUse",
            fields=[
                _ID,
                (
                    "column",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogcolumn",
                        verbose_name="column",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="uses",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "use of a table",
                "verbose_name_plural": "uses of tables",
                "db_table": "h_custom_tool_use",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "table", "column"),
                        name="h_custom_tool_use_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolUseState",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="use_state",
                        serialize=False,
                        to="tools.tooldefinition",
                    ),
                ),
                ("fingerprint", models.TextField()),
                ("unknown_columns", models.JSONField(db_default=[], default=list)),
            ],
            options={
                "db_table": "h_custom_tool_use_state",
            },
        ),
        migrations.CreateModel(
            name="ToolVector",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tool_name", models.TextField()),
                ("model", models.TextField()),
                ("content_hash", models.TextField()),
                ("name_vector", models.BinaryField()),
                ("text_vector", models.BinaryField()),
                ("updated_at", models.DateTimeField(auto_now=True, db_default=Now())),
            ],
            options={
                "db_table": "h_tool_vector",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool_name", "model"), name="h_tool_vector_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolSearch",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(db_default=Now())),
                ("query", models.TextField(db_default="", default="")),
                ("caller", models.TextField(db_default="", default="")),
                ("key_id", models.CharField(db_default="", default="", max_length=8)),
                ("runtime_id", models.UUIDField(null=True)),
                ("names", models.JSONField(db_default=[], default=list)),
                ("scores", models.JSONField(db_default=[], default=list)),
                ("degraded", models.BooleanField(db_default=False, default=False)),
                ("duration_ms", models.FloatField(db_default=0.0, default=0.0)),
                ("called_tool", models.TextField(null=True)),
                ("concepts", models.JSONField(db_default=[], default=list)),
            ],
            options={
                "db_table": "h_tool_search",
                "ordering": ["-at"],
                "indexes": [
                    models.Index(fields=["-at"], name="h_tool_search_at"),
                    models.Index(fields=["key_id", "-at"], name="h_tool_search_key"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchUse",
            fields=[
                _ID,
                ("day", models.DateField()),
                ("key_id", models.CharField(db_default="", default="", max_length=8)),
                ("tool_name", models.TextField()),
                ("concept", models.TextField()),
            ],
            options={
                "db_table": "h_search_use",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("day", "key_id", "tool_name", "concept"),
                        name="h_search_use_once_a_day",
                    )
                ],
            },
        ),
        migrations.RunSQL(sql.FIRST_REVISION, migrations.RunSQL.noop),
        migrations.RunSQL(sql.COUNT_REVISIONS, sql.COUNT_NO_REVISIONS),
        # Its triggers go with their functions.
        migrations.RunSQL(sql.BUMP_REVISION, migrations.RunSQL.noop),
        migrations.RunSQL(sql.TOUCH_TOOLS, sql.TOUCH_NO_TOOLS),
        migrations.RunSQL(sql.WRITE_CAPITALS, sql.WRITE_ANY_CASE),
        *(on_delete("CASCADE", *link) for link in sql.LINKS),
        *sql.AUDITED,
    ]
