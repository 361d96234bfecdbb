"""What is served. Any write to it, by whatever program, bumps the registry revision and notifies the runtimes."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.db import migrations, models

import tools.fields
from access.foreign_keys import on_delete

# SECURITY DEFINER: a writer needs no right on the counter. The row lock serialises writers, so that
# revisions become visible in order.
BUMP = """
CREATE FUNCTION toolbuilder_bump_registry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    bumped bigint;
BEGIN
    INSERT INTO h_registry_revision AS counter (id, revision) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET revision = counter.revision + 1
    RETURNING revision INTO bumped;
    PERFORM pg_notify('toolbuilder_registry', bumped::text);
    RETURN NULL;
END $$;
"""
# To note which version a tool has is no change of it: `updated_at` stays.
TOUCH = """
CREATE FUNCTION toolbuilder_touch_tool() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER touch_tool BEFORE UPDATE ON h_custom_tool FOR EACH ROW
WHEN ((NEW.version, NEW.content_hash) IS NOT DISTINCT FROM (OLD.version, OLD.content_hash))
EXECUTE FUNCTION toolbuilder_touch_tool();
"""
# The collation: in Turkish, the capital of i is another letter than I.
CAPITALS = r"""
CREATE FUNCTION toolbuilder_capitals(code text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT upper(btrim(code, E' \t\r\n') COLLATE "C") $$;

CREATE FUNCTION toolbuilder_write_tool_codes() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.tool_type := toolbuilder_capitals(NEW.tool_type);
    NEW.is_active := toolbuilder_capitals(NEW.is_active);
    NEW.result_format := toolbuilder_capitals(NEW.result_format);
    RETURN NEW;
END $$;
CREATE TRIGGER capitals BEFORE INSERT OR UPDATE ON h_custom_tool
FOR EACH ROW EXECUTE FUNCTION toolbuilder_write_tool_codes();

CREATE FUNCTION toolbuilder_write_parameter_codes() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.param_type := toolbuilder_capitals(NEW.param_type);
    NEW.is_required := toolbuilder_capitals(NEW.is_required);
    NEW.nullable := toolbuilder_capitals(NEW.nullable);
    NEW.binding := toolbuilder_capitals(NEW.binding);
    RETURN NEW;
END $$;
CREATE TRIGGER capitals BEFORE INSERT OR UPDATE ON h_custom_tool_param
FOR EACH ROW EXECUTE FUNCTION toolbuilder_write_parameter_codes();
"""
DROP = """
DROP FUNCTION toolbuilder_bump_registry() CASCADE;
DROP FUNCTION toolbuilder_touch_tool() CASCADE;
DROP FUNCTION toolbuilder_write_tool_codes() CASCADE;
DROP FUNCTION toolbuilder_write_parameter_codes() CASCADE;
DROP FUNCTION toolbuilder_capitals(text);
"""

AFTER_ANY_WRITE = (
    *("h_custom_tool", "h_custom_tool_param", "h_data_source", "h_catalog_schema_state"),
    *("h_data_source_allowed_users", "h_data_source_allowed_groups", "auth_user_groups"),
)
BUMP_AFTER_ANY_WRITE = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""

# Row by row, since most writes change nothing that is served: a log-in, a check with the same outcome,
# a server's health.
BUMP_WHERE_IT_MATTERS = """
CREATE TRIGGER bump_registry_on_new AFTER INSERT ON {table} FOR EACH ROW
WHEN ({new}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_change AFTER UPDATE ON {table} FOR EACH ROW
WHEN ({change}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_end AFTER DELETE ON {table} FOR EACH ROW
WHEN ({end}) EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_SERVER = "name server_url token_reference token timeout_ms byte_limit max_calls is_active"
_TOOL = "server_id name accepted_digest accepted seen_digest is_active gone_at"


def _differs(columns: str) -> str:
    old, new = (", ".join(f"{row}.{name}" for name in columns.split()) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


WHERE_IT_MATTERS = (
    {
        "table": "auth_user",
        "new": "NEW.is_active AND NEW.is_superuser",
        "change": _differs("is_active is_superuser username"),
        "end": "OLD.is_active AND OLD.is_superuser",
    },
    {
        "table": "h_data_source_check",
        "new": "NEW.refusal <> ''",
        "change": f"(OLD.refusal <> '' OR NEW.refusal <> '') AND {_differs('refusal target')}",
        "end": "OLD.refusal <> ''",
    },
    {
        "table": "h_mcp_server",
        "new": "NEW.is_active",
        "change": _differs(_SERVER),
        "end": "OLD.is_active",
    },
    {
        "table": "h_mcp_server_tool",
        "new": "NEW.is_active",
        "change": f"(OLD.is_active OR NEW.is_active) AND {_differs(_TOOL)}",
        "end": "OLD.is_active",
    },
)
FIRST_REVISION = "INSERT INTO h_registry_revision (id, revision) VALUES (1, 0);"
LINKS = (
    ("h_custom_tool_param", "tool_id", "h_custom_tool"),
    ("h_custom_tool_quarantine", "tool_id", "h_custom_tool"),
    ("h_custom_tool_use", "tool_id", "h_custom_tool"),
    ("h_custom_tool_use", "table_id", "h_catalog_table"),
    ("h_custom_tool_use", "column_id", "h_catalog_column"),
    ("h_custom_tool_use_state", "tool_id", "h_custom_tool"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
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
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="row limit",
                    ),
                ),
                (
                    "byte_limit",
                    models.PositiveIntegerField(
                        db_default=1000000,
                        default=1000000,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="byte limit",
                    ),
                ),
                (
                    "timeout_ms",
                    models.PositiveIntegerField(
                        db_default=10000,
                        default=10000,
                        validators=[django.core.validators.MinValueValidator(1)],
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
                    models.DateTimeField(
                        auto_now=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="updated",
                    ),
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
                        on_delete=django.db.models.deletion.PROTECT,
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool",
                "verbose_name_plural": "tools",
                "db_table": "h_custom_tool",
                "ordering": ["name"],
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
            name="QuarantinedTool",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="quarantine",
                        serialize=False,
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                ("reason_message", models.JSONField(editable=False, null=True)),
                (
                    "since",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="since"
                    ),
                ),
            ],
            options={
                "verbose_name": "quarantined tool",
                "verbose_name_plural": "quarantined tools",
                "db_table": "h_custom_tool_quarantine",
            },
        ),
        migrations.CreateModel(
            name="ToolUseState",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parameters",
                        to="tools.tooldefinition",
                        verbose_name="tool",
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
            name="ToolSearch",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("query", models.TextField(db_default="", default="")),
                ("caller", models.TextField(db_default="", default="")),
                ("key_id", models.CharField(db_default="", default="", max_length=8)),
                ("runtime_id", models.UUIDField(null=True)),
                ("names", models.JSONField(db_default=[], default=list)),
                ("scores", models.JSONField(db_default=[], default=list)),
                ("degraded", models.BooleanField(db_default=False, default=False)),
                ("duration_ms", models.FloatField(db_default=0.0, default=0.0)),
                ("called_tool", models.TextField(null=True)),
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
            name="ToolUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "column",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogcolumn",
                        verbose_name="column",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
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
        migrations.AddConstraint(
            model_name="tooldefinition",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("archived_at", None),
                    models.Q(("is_active", True), _negated=True),
                    _connector="OR",
                ),
                name="h_custom_tool_archived_is_inactive",
                violation_error_message="An archived tool cannot be active; restore it first.",
            ),
        ),
        migrations.AddConstraint(
            model_name="tooluse",
            constraint=models.UniqueConstraint(
                fields=("tool", "table", "column"),
                name="h_custom_tool_use_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddIndex(
            model_name="tooldefinition",
            index=models.Index(
                models.Func(
                    models.F("name"),
                    output_field=models.TextField(),
                    template="lower(translate(%(expressions)s, '_-', ''))",
                ),
                name="h_custom_tool_folded_name",
            ),
        ),
        migrations.AddIndex(
            model_name="tooldefinition",
            index=models.Index(
                django.db.models.functions.text.MD5(
                    django.db.models.functions.text.Upper(
                        django.db.models.functions.text.Trim("description_agent")
                    )
                ),
                name="h_custom_tool_folded_text",
            ),
        ),
        migrations.RunSQL(FIRST_REVISION, migrations.RunSQL.noop),
        migrations.RunSQL(BUMP + TOUCH + CAPITALS, DROP),
        *(
            migrations.RunSQL(BUMP_AFTER_ANY_WRITE.format(table=table), migrations.RunSQL.noop)
            for table in AFTER_ANY_WRITE
        ),
        *(
            migrations.RunSQL(BUMP_WHERE_IT_MATTERS.format(**parts), migrations.RunSQL.noop)
            for parts in WHERE_IT_MATTERS
        ),
        *(on_delete("CASCADE", *link) for link in LINKS),
    ]
