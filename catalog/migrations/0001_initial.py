"""What data there is: data sources, services, MCP servers, the catalogue, the glossary and documents."""

import uuid

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import migrations, models
from django.db.models.functions import Now

import access.encryption
import catalog.connection_options
import catalog.sources.models
from access.foreign_keys import on_delete
from catalog.migrations import sql

_ID = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("access", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        sql.KeptTrigramExtension(),
        migrations.CreateModel(
            name="DataSource",
            fields=[
                _ID,
                (
                    "uid",
                    models.UUIDField(
                        db_default=RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        unique=True,
                    ),
                ),
                (
                    "name",
                    models.SlugField(
                        help_text="How tools refer to it: letters, digits, hyphens and underscores.",
                        max_length=63,
                        unique=True,
                        verbose_name="name",
                    ),
                ),
                (
                    "engine",
                    models.TextField(
                        choices=catalog.sources.models.list_kinds,
                        db_default="postgresql",
                        default="postgresql",
                        verbose_name="engine",
                    ),
                ),
                (
                    "origin",
                    models.TextField(
                        choices=[("row", "this form"), ("environment", "environment variable")],
                        db_default="row",
                        default="row",
                        editable=False,
                        verbose_name="defined by",
                    ),
                ),
                (
                    "path",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Absolute path of the database file, or of the folder of files; it is only read. A source of kind Files without a path takes files that are uploaded here.",
                        validators=[
                            RegexValidator(
                                "^/[^\\x00]*[^/\\x00]\\Z",
                                "Write an absolute path, as in /data/shop.db.",
                            )
                        ],
                        verbose_name="file",
                    ),
                ),
                (
                    "host",
                    models.TextField(blank=True, db_default="", default="", verbose_name="host"),
                ),
                (
                    "port",
                    models.PositiveIntegerField(
                        db_default=5432,
                        default=5432,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(65535),
                        ],
                        verbose_name="port",
                    ),
                ),
                (
                    "database",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="database"
                    ),
                ),
                (
                    "username",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="A role that can read and nothing else.",
                        verbose_name="role",
                    ),
                ),
                (
                    "password_reference",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR.",
                        validators=[
                            RegexValidator(
                                "^(env|file):[A-Za-z0-9_.-]+\\Z",
                                "Write env:NAME or file:NAME; a password itself goes into the password field.",
                            )
                        ],
                        verbose_name="password reference",
                    ),
                ),
                (
                    "password",
                    access.encryption.EncryptedField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="stored password",
                    ),
                ),
                (
                    "options",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text='Keywords of libpq, as in {"sslmode": "verify-full", "sslrootcert": "ca.pem"}; certificates are files of CREDENTIALS_DIR.',
                        validators=[catalog.connection_options.check_options],
                        verbose_name="connection options",
                    ),
                ),
                (
                    "server_url",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Where the operations of an HTTP service are, as https://api.example.com/v1.",
                        verbose_name="server URL",
                    ),
                ),
                (
                    "authentication",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("", "nothing"),
                            ("bearer", "Authorization: Bearer"),
                            ("basic", "user and password (Basic)"),
                            ("header", "a header"),
                            ("query", "a parameter of the address"),
                        ],
                        db_default="",
                        default="",
                        help_text="How an HTTP service is told the password, which is its token or key.",
                        verbose_name="authentication",
                    ),
                ),
                (
                    "authentication_name",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="As X-API-Key, where the secret has a header or a parameter of its own.",
                        verbose_name="header or parameter",
                    ),
                ),
                (
                    "search_path",
                    models.TextField(
                        db_default="public",
                        default="public",
                        help_text="Schemas in which names without a schema are looked up, between commas.",
                        validators=[catalog.connection_options.check_search_path],
                        verbose_name="search path",
                    ),
                ),
                (
                    "pool_size",
                    models.PositiveSmallIntegerField(
                        db_default=4,
                        default=4,
                        help_text="If there are several, a key with slow calls leaves one free for other keys.",
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(200),
                        ],
                        verbose_name="connections per runtime",
                    ),
                ),
                (
                    "max_wait_ms",
                    models.PositiveIntegerField(
                        db_default=5000,
                        default=5000,
                        help_text="Callers take turns; then they are told to retry. It counts as time of the tool.",
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(3600000),
                        ],
                        verbose_name="longest wait for a connection, ms",
                    ),
                ),
                (
                    "prepares_statements",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Off for a connection pooler in transaction mode; PostgreSQL alone.",
                        verbose_name="keep queries parsed",
                    ),
                ),
                (
                    "row_limit",
                    models.PositiveIntegerField(
                        db_default=10000,
                        default=10000,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(10000000),
                        ],
                        verbose_name="row ceiling",
                    ),
                ),
                (
                    "byte_limit",
                    models.PositiveIntegerField(
                        db_default=10000000,
                        default=10000000,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(1000000000),
                        ],
                        verbose_name="byte ceiling",
                    ),
                ),
                (
                    "cell_limit",
                    models.PositiveIntegerField(
                        db_default=8192,
                        default=8192,
                        help_text="Longer texts are cut, and the answer says so.",
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(10000000),
                        ],
                        verbose_name="cell ceiling, characters",
                    ),
                ),
                (
                    "timeout_ms",
                    models.PositiveIntegerField(
                        db_default=30000,
                        default=30000,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(3600000),
                        ],
                        verbose_name="time-out ceiling, ms",
                    ),
                ),
                (
                    "lock_timeout_ms",
                    models.PositiveIntegerField(
                        db_default=2000,
                        default=2000,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(3600000),
                        ],
                        verbose_name="longest wait for a lock, ms",
                    ),
                ),
                (
                    "is_restricted",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Only superusers and those named here may have tools on it.",
                        verbose_name="restricted",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
                (
                    "plan_cost_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="In the unit of PostgreSQL's planner: a tool whose query is planned over it is not published. Empty: none.",
                        null=True,
                        validators=[MinValueValidator(1)],
                        verbose_name="planned cost ceiling",
                    ),
                ),
                (
                    "checks_cost_at_call",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="One EXPLAIN more on the same connection; PostgreSQL alone.",
                        verbose_name="check the planned cost before each call",
                    ),
                ),
                (
                    "allowed_hosts",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Hosts inside that the service may be at, between commas, as crm.internal:8080; each has to be within the operator's setting HTTP_ALLOWED_HOSTS.",
                        validators=[
                            RegexValidator(
                                "^[A-Za-z0-9.:_\\[\\]-]+(, *[A-Za-z0-9.:_\\[\\]-]+)*\\Z",
                                "Write names of hosts between commas, as in crm.internal, 10.0.0.7:8080.",
                            )
                        ],
                        verbose_name="allowed hosts",
                    ),
                ),
                (
                    "caller_identity",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="For row-level security, in each query's transaction, one a line: app.tenant = claim:tenant, app.person = owner, or role = claim:team of kr_reader, jp_reader. PostgreSQL alone.",
                        validators=[catalog.connection_options.check_identity],
                        verbose_name="identity of the caller",
                    ),
                ),
                (
                    "allowed_groups",
                    models.ManyToManyField(
                        blank=True, related_name="+", to="auth.group", verbose_name="allowed groups"
                    ),
                ),
                (
                    "allowed_users",
                    models.ManyToManyField(
                        blank=True,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="allowed users",
                    ),
                ),
            ],
            options={
                "verbose_name": "data source",
                "verbose_name_plural": "data sources",
                "db_table": "h_data_source",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="SourceCheck",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="last_check",
                        serialize=False,
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                ("checked_at", models.DateTimeField(db_default=Now(), verbose_name="checked")),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("ok", "safe"),
                            ("warning", "usable, with warnings"),
                            ("unreachable", "not reached"),
                            ("refused", "refused"),
                        ],
                        verbose_name="state",
                    ),
                ),
                ("summary", models.TextField(db_default="", default="", verbose_name="summary")),
                ("refusal", models.TextField(db_default="", default="", verbose_name="refusal")),
                ("refusal_message", models.JSONField(editable=False, null=True)),
                (
                    "target",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="target"
                    ),
                ),
                (
                    "report",
                    models.JSONField(
                        db_default={}, default=dict, editable=False, verbose_name="report"
                    ),
                ),
            ],
            options={
                "verbose_name": "check of a data source",
                "verbose_name_plural": "checks of data sources",
                "db_table": "h_data_source_check",
            },
        ),
        migrations.CreateModel(
            name="ServiceSecret",
            fields=[
                _ID,
                (
                    "source",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="secrets",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "name",
                    models.TextField(
                        validators=[
                            RegexValidator(
                                "^[a-z][a-z0-9_]{0,62}\\Z",
                                "Write small letters, digits and _, beginning with a letter.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "secret",
                    access.encryption.EncryptedField(editable=False, verbose_name="stored secret"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
            ],
            options={
                "verbose_name": "secret of a service",
                "verbose_name_plural": "secrets of services",
                "db_table": "h_data_source_secret",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "name"), name="h_data_source_secret_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ServiceOperation",
            fields=[
                _ID,
                (
                    "source",
                    models.ForeignKey(
                        editable=False,
                        on_delete=models.CASCADE,
                        related_name="operations",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                ("position", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("method", models.TextField(editable=False)),
                ("path", models.TextField(editable=False)),
                ("summary", models.TextField(db_default="", default="", editable=False)),
                ("tag", models.TextField(db_default="", default="", editable=False)),
                ("tool", models.JSONField(db_default={}, default=dict, editable=False)),
            ],
            options={
                "verbose_name": "operation of a service",
                "verbose_name_plural": "operations of services",
                "db_table": "h_data_source_operation",
                "ordering": ["position"],
                "indexes": [
                    models.Index(
                        fields=["source", "position"], name="h_data_source_operation_order"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="McpServer",
            fields=[
                _ID,
                (
                    "uid",
                    models.UUIDField(
                        db_default=RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        unique=True,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Stands before the names of its tools; it cannot be changed later.",
                        max_length=24,
                        unique=True,
                        validators=[
                            RegexValidator(
                                "^[a-z][a-z0-9_-]{0,23}\\Z",
                                "A small letter, then small letters, digits, hyphens and underscores; at most 24 in all.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "server_url",
                    models.TextField(
                        help_text="As https://mcp.example.com/mcp; http only for allowed hosts.",
                        verbose_name="server URL",
                    ),
                ),
                (
                    "token_reference",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR.",
                        validators=[
                            RegexValidator(
                                "^(env|file):[A-Za-z0-9_.-]+\\Z",
                                "Write env:NAME or file:NAME; a token itself goes into the token field.",
                            )
                        ],
                        verbose_name="token reference",
                    ),
                ),
                (
                    "token",
                    access.encryption.EncryptedField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="stored token",
                    ),
                ),
                (
                    "timeout_ms",
                    models.PositiveIntegerField(
                        db_default=30000,
                        default=30000,
                        validators=[
                            MinValueValidator(100),
                            MaxValueValidator(600000),
                        ],
                        verbose_name="time-out, ms",
                    ),
                ),
                (
                    "byte_limit",
                    models.PositiveIntegerField(
                        db_default=1000000,
                        default=1000000,
                        validators=[
                            MinValueValidator(1000),
                            MaxValueValidator(50000000),
                        ],
                        verbose_name="byte ceiling of an answer",
                    ),
                ),
                (
                    "max_calls",
                    models.PositiveSmallIntegerField(
                        db_default=16,
                        default=16,
                        validators=[
                            MinValueValidator(1),
                            MaxValueValidator(1000),
                        ],
                        verbose_name="calls at once per runtime",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Otherwise no tool of it is served.",
                        verbose_name="active",
                    ),
                ),
                (
                    "state",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("", "not checked yet"),
                            ("ok", "reachable"),
                            ("down", "not reachable"),
                        ],
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="state",
                    ),
                ),
                (
                    "trouble",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="trouble",
                    ),
                ),
                ("trouble_message", models.JSONField(editable=False, null=True)),
                (
                    "unreachable_since",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="not reachable since"
                    ),
                ),
                (
                    "checked_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="last met"),
                ),
                (
                    "read_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="tools read"),
                ),
                (
                    "server_info",
                    models.TextField(
                        blank=True, db_default="", default="", editable=False, verbose_name="server"
                    ),
                ),
                (
                    "protocol",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="protocol",
                    ),
                ),
                (
                    "faults",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        editable=False,
                        verbose_name="left out",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
            ],
            options={
                "verbose_name": "MCP server",
                "verbose_name_plural": "MCP servers",
                "db_table": "h_mcp_server",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="McpTool",
            fields=[
                _ID,
                ("name", models.TextField(verbose_name="name")),
                ("seen", models.JSONField(verbose_name="as the server says now")),
                ("seen_digest", models.TextField(editable=False)),
                ("accepted", models.JSONField(blank=True, null=True, verbose_name="as accepted")),
                ("accepted_digest", models.TextField(db_default="", default="", editable=False)),
                (
                    "accepted_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="accepted by"
                    ),
                ),
                (
                    "accepted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="accepted"),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=False, default=False, verbose_name="active"),
                ),
                ("gone_at", models.DateTimeField(blank=True, null=True, verbose_name="gone")),
                (
                    "first_seen_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="first seen"
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="tools",
                        to="catalog.mcpserver",
                        verbose_name="server",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool of an MCP server",
                "verbose_name_plural": "tools of MCP servers",
                "db_table": "h_mcp_server_tool",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("server", "name"), name="one_tool_of_a_name_per_server"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                _ID,
                ("name", models.TextField(unique=True, verbose_name="name")),
            ],
            options={
                "verbose_name": "tag",
                "verbose_name_plural": "tags",
                "db_table": "h_catalog_tag",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="CatalogTable",
            fields=[
                _ID,
                (
                    "schema",
                    models.TextField(blank=True, db_default="", default="", verbose_name="schema"),
                ),
                ("name", models.TextField(verbose_name="name")),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("table", "table"),
                            ("view", "view"),
                            ("materialized view", "materialized view"),
                            ("foreign table", "foreign table"),
                        ],
                        db_default="table",
                        default="table",
                        verbose_name="kind",
                    ),
                ),
                (
                    "source_comment",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        verbose_name="comment in the database",
                    ),
                ),
                (
                    "row_estimate",
                    models.BigIntegerField(blank=True, null=True, verbose_name="rows, estimated"),
                ),
                ("sample", models.JSONField(blank=True, null=True, verbose_name="sample")),
                (
                    "sample_note",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="about the sample"
                    ),
                ),
                ("sample_note_message", models.JSONField(editable=False, null=True)),
                ("shape_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "scanned_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="scanned"),
                ),
                (
                    "changed_at",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="changed in the database"
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "display_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="display name"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "notes",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="What one must know before querying it: filters, size, update times.",
                        verbose_name="notes",
                    ),
                ),
                (
                    "is_hidden",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Not served.",
                        verbose_name="hidden from agents",
                    ),
                ),
                ("search_text", models.TextField(db_default="", default="", editable=False)),
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
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="tables",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "tags",
                    models.ManyToManyField(
                        blank=True, related_name="tables", to="catalog.tag", verbose_name="tags"
                    ),
                ),
            ],
            options={
                "verbose_name": "catalogue table",
                "verbose_name_plural": "catalogue tables",
                "db_table": "h_catalog_table",
                "ordering": ["schema", "name"],
                "indexes": [
                    GinIndex(
                        fields=["search_text"],
                        name="h_catalog_table_search",
                        opclasses=["gin_trgm_ops"],
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "schema", "name"),
                        name="h_catalog_table_name",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CatalogColumn",
            fields=[
                _ID,
                ("name", models.TextField(verbose_name="name")),
                ("position", models.IntegerField(db_default=0, default=0, verbose_name="position")),
                (
                    "type_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="type"),
                ),
                (
                    "is_nullable",
                    models.BooleanField(db_default=True, default=True, verbose_name="nullable"),
                ),
                (
                    "is_primary_key",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="primary key"
                    ),
                ),
                (
                    "source_comment",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        verbose_name="comment in the database",
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "display_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="display name"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "is_masked",
                    models.BooleanField(
                        blank=True,
                        help_text="Unknown: the rule of names decides.",
                        null=True,
                        verbose_name="masked in samples",
                    ),
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
                    "table",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="columns",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
            ],
            options={
                "verbose_name": "catalogue column",
                "verbose_name_plural": "catalogue columns",
                "db_table": "h_catalog_column",
                "ordering": ["position", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("table", "name"), name="h_catalog_column_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="TableRelation",
            fields=[
                _ID,
                (
                    "relation_type",
                    models.TextField(
                        choices=[
                            ("foreign_key", "foreign_key"),
                            ("derived", "derived"),
                            ("own", "own"),
                        ],
                        verbose_name="kind",
                    ),
                ),
                (
                    "constraint_name",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="constraint",
                    ),
                ),
                (
                    "columns",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="columns"
                    ),
                ),
                (
                    "target_columns",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        verbose_name="columns of the related table",
                    ),
                ),
                (
                    "join_condition",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Empty: equality of the columns.",
                        verbose_name="join condition",
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="relations",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="incoming_relations",
                        to="catalog.catalogtable",
                        verbose_name="related table",
                    ),
                ),
            ],
            options={
                "verbose_name": "relation of tables",
                "verbose_name_plural": "relations of tables",
                "db_table": "h_catalog_relation",
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("constraint_name", ""), _negated=True),
                        fields=("table", "constraint_name"),
                        name="h_catalog_relation_constraint",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CatalogScan",
            fields=[
                _ID,
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        db_default="queued",
                        default="queued",
                        verbose_name="state",
                    ),
                ),
                (
                    "phase",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("listing", "listing tables"),
                            ("reading", "reading columns and keys"),
                            ("relating", "relating tables"),
                            ("sampling", "reading samples"),
                        ],
                        db_default="",
                        default="",
                        verbose_name="phase",
                    ),
                ),
                (
                    "table_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="table"),
                ),
                ("done_count", models.IntegerField(db_default=0, default=0, verbose_name="done")),
                ("total_count", models.IntegerField(db_default=0, default=0, verbose_name="of")),
                ("new_count", models.IntegerField(db_default=0, default=0, verbose_name="new")),
                (
                    "changed_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="changed"),
                ),
                ("gone_count", models.IntegerField(db_default=0, default=0, verbose_name="gone")),
                (
                    "error",
                    models.TextField(blank=True, db_default="", default="", verbose_name="error"),
                ),
                ("error_message", models.JSONField(editable=False, null=True)),
                (
                    "warnings",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="warnings"
                    ),
                ),
                ("warning_messages", models.JSONField(db_default=[], default=list, editable=False)),
                (
                    "is_cancel_wanted",
                    models.BooleanField(db_default=False, default=False, editable=False),
                ),
                (
                    "requested_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="requested by"
                    ),
                ),
                (
                    "requested_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="requested"
                    ),
                ),
                (
                    "started_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="started"),
                ),
                ("heartbeat_at", models.DateTimeField(editable=False, null=True)),
                (
                    "finished_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="finished"),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="scans",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
            ],
            options={
                "verbose_name": "scan",
                "verbose_name_plural": "scans",
                "db_table": "h_catalog_scan",
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("source",),
                        name="h_catalog_scan_active",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SchemaState",
            fields=[
                _ID,
                ("revision", models.BigIntegerField(db_default=0, default=0)),
                ("changed_at", models.DateTimeField(db_default=Now())),
                (
                    "source",
                    models.OneToOneField(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="schema_state",
                        to="catalog.datasource",
                    ),
                ),
            ],
            options={
                "db_table": "h_catalog_schema_state",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source",),
                        name="h_catalog_schema_state_source",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CatalogQuery",
            fields=[
                _ID,
                ("at", models.DateTimeField(db_default=Now(), verbose_name="searched")),
                ("surface", models.TextField(verbose_name="where")),
                (
                    "query",
                    models.TextField(blank=True, db_default="", default="", verbose_name="query"),
                ),
                (
                    "result_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="results"),
                ),
                (
                    "key_id",
                    models.TextField(blank=True, db_default="", default="", verbose_name="API key"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "search of the catalogue",
                "verbose_name_plural": "searches of the catalogue",
                "db_table": "h_catalog_query",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["at"], name="h_catalog_query_at")],
            },
        ),
        migrations.CreateModel(
            name="GlossaryConcept",
            fields=[
                _ID,
                ("key", models.SlugField(max_length=60, unique=True, verbose_name="key")),
                (
                    "terms",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="terms"),
                ),
                (
                    "note",
                    models.TextField(blank=True, db_default="", default="", verbose_name="note"),
                ),
                (
                    "is_shipped",
                    models.BooleanField(db_default=False, default=False, verbose_name="shipped"),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="in use"),
                ),
                (
                    "updated_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="updated by"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
            ],
            options={
                "verbose_name": "concept",
                "verbose_name_plural": "glossary",
                "db_table": "h_glossary_concept",
                "ordering": ["key"],
            },
        ),
        migrations.CreateModel(
            name="ReferenceDocument",
            fields=[
                _ID,
                ("key", models.TextField(unique=True, verbose_name="key")),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("table", "table"),
                            ("column", "column"),
                            ("query", "example query"),
                            ("text", "text"),
                        ],
                        verbose_name="kind",
                    ),
                ),
                (
                    "table_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="table"),
                ),
                (
                    "column_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="column"),
                ),
                (
                    "content",
                    models.JSONField(
                        blank=True, db_default={}, default=dict, verbose_name="content"
                    ),
                ),
                ("text", models.TextField(verbose_name="text")),
                (
                    "metadata",
                    models.JSONField(
                        blank=True, db_default={}, default=dict, verbose_name="metadata"
                    ),
                ),
                (
                    "content_hash",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="content hash"
                    ),
                ),
                (
                    "source",
                    models.TextField(blank=True, db_default="", default="", verbose_name="source"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
                (
                    "indexed_hash",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="indexed hash"
                    ),
                ),
                (
                    "indexed_with",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="indexed with"
                    ),
                ),
                (
                    "indexed_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="indexed"),
                ),
                ("is_urgent", models.BooleanField(db_default=False, default=False, editable=False)),
            ],
            options={
                "verbose_name": "reference document",
                "verbose_name_plural": "reference documents",
                "db_table": "h_reference_document",
                "ordering": ["key"],
                "indexes": [
                    models.Index(fields=["source"], name="h_reference_document_source"),
                    models.Index(
                        models.OrderBy(models.F("is_urgent"), descending=True),
                        models.OrderBy(models.F("updated_at"), descending=True),
                        condition=models.Q(
                            ("indexed_hash", models.F("content_hash")), _negated=True
                        ),
                        name="h_reference_document_pending",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["table", "column", "query", "text"])),
                        name="h_reference_document_kind",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RemovedDocument",
            fields=[
                _ID,
                ("key", models.TextField()),
                ("removed_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "h_removed_document",
            },
        ),
        migrations.RunSQL(sql.REMEMBER_REMOVED_DOCUMENTS, sql.FORGET_REMOVED_DOCUMENTS),
        *(on_delete(*link) for link in sql.LINKS),
        *sql.AUDITED,
    ]
