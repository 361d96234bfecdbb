"""Who calls, what they may and did: keys, toolsets, limits, calls, sign-ins, issuers, roles and the audit trail."""

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator, RegexValidator
from django.db import migrations, models
from django.db.models.functions import Now

import access.allowed_tools
import access.claims
import access.encryption
import access.issuers.models
import access.networks
from access.foreign_keys import on_delete
from access.migrations import sql

_ID = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                _ID,
                (
                    "key_id",
                    models.CharField(
                        editable=False, max_length=8, unique=True, verbose_name="key id"
                    ),
                ),
                ("digest", models.CharField(editable=False, max_length=64)),
                (
                    "name",
                    models.CharField(
                        help_text="Who or what uses this key.", max_length=100, verbose_name="name"
                    ),
                ),
                (
                    "allowed_tools",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text='Names of the tools this key sees, as in ["sales_by_region"]; ["*"] is every tool.',
                        validators=[access.allowed_tools.check_allowed_tools],
                        verbose_name="allowed tools",
                    ),
                ),
                (
                    "claims",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text='Facts that bound parameters use, as in {"tenant": "KR", "level": 3}: texts, numbers, true or false, or lists of texts.',
                        validators=[access.claims.check_claims],
                        verbose_name="claims",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="expires")),
                ("revoked_at", models.DateTimeField(blank=True, null=True, verbose_name="revoked")),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True, editable=False, null=True, verbose_name="last used"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "allowed_networks",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text='Addresses from which it may be used, as in ["10.0.0.0/8"]; [] is every one.',
                        validators=[access.networks.check_networks],
                        verbose_name="allowed networks",
                    ),
                ),
                (
                    "builtin_groups",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Groups of built-in tools that it sees: embeddings, search, database, catalogue, utilities.",
                        verbose_name="built-in groups",
                    ),
                ),
                (
                    "free_sql_sources",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=access.allowed_tools.every_tool,
                        help_text='Data sources on which it may run SQL that it has written, as in ["main"]; ["*"] is every one, "" in the list the default one.',
                        verbose_name="SQL of its own on",
                    ),
                ),
                (
                    "previous_digest",
                    models.CharField(db_default="", default="", editable=False, max_length=64),
                ),
                (
                    "previous_until",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="former token ends"
                    ),
                ),
                (
                    "toolsets",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Names of the toolsets whose tools it sees.",
                        verbose_name="toolsets",
                    ),
                ),
            ],
            options={
                "verbose_name": "API key",
                "verbose_name_plural": "API keys",
                "db_table": "h_api_key",
                "ordering": ["name", "key_id"],
            },
        ),
        migrations.CreateModel(
            name="Toolset",
            fields=[
                _ID,
                (
                    "name",
                    models.CharField(
                        help_text="The end of its address, such as sales-kr.",
                        max_length=64,
                        unique=True,
                        validators=[
                            RegexValidator(
                                "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
                                "Use letters, digits, dots, dashes and underscores.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=100, verbose_name="title"
                    ),
                ),
                (
                    "tags",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Tools with one of these tags are in it, new ones too.",
                        verbose_name="tags",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
                (
                    "review",
                    models.CharField(
                        choices=[("nobody", "nobody"), ("other", "one other person")],
                        db_default="nobody",
                        default="nobody",
                        help_text="Who approves a change of its tools before agents get it.",
                        max_length=10,
                        verbose_name="review",
                    ),
                ),
                (
                    "owned_by_files",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Its tools are changed in their files alone, by manage.py tools apply.",
                        verbose_name="owned by files",
                    ),
                ),
            ],
            options={
                "verbose_name": "toolset",
                "verbose_name_plural": "toolsets",
                "db_table": "h_mcp_toolset",
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")),
                        name="h_mcp_toolset_name",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolsetTool",
            fields=[
                _ID,
                ("tool_name", models.TextField(verbose_name="tool")),
                (
                    "toolset",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="tools",
                        to="access.toolset",
                        verbose_name="toolset",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool of a toolset",
                "verbose_name_plural": "tools of toolsets",
                "db_table": "h_mcp_toolset_tool",
                "ordering": ["tool_name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("toolset", "tool_name"), name="h_mcp_toolset_tool_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RoleGrant",
            fields=[
                _ID,
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("author", "author"),
                            ("reviewer", "reviewer"),
                            ("auditor", "auditor"),
                            ("administrator", "administrator"),
                        ],
                        max_length=20,
                        verbose_name="role",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="role_grants",
                        to="auth.group",
                        verbose_name="group",
                    ),
                ),
                (
                    "toolset",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="role_grants",
                        to="access.toolset",
                        verbose_name="toolset",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="role_grants",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "role of a person or group",
                "verbose_name_plural": "roles",
                "db_table": "h_role_grant",
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group__isnull", False), ("user", None)),
                            models.Q(("group", None), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="h_role_grant_of_one",
                        violation_error_message="Choose one user or one group.",
                    ),
                    models.UniqueConstraint(
                        fields=("user", "group", "role", "toolset"),
                        name="h_role_grant_once",
                        nulls_distinct=False,
                        violation_error_message="They have this role already.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TokenIssuer",
            fields=[
                _ID,
                (
                    "name",
                    models.CharField(
                        max_length=32,
                        unique=True,
                        validators=[
                            RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,31}$", "Use small letters, digits and dashes."
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "url",
                    models.CharField(
                        max_length=500,
                        unique=True,
                        validators=[access.issuers.models.check_issuer_url],
                        verbose_name="issuer",
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=500,
                        verbose_name="audience",
                    ),
                ),
                (
                    "algorithms",
                    models.JSONField(
                        db_default=["RS256", "ES256"],
                        default=access.issuers.models.default_algorithms,
                        verbose_name="algorithms",
                    ),
                ),
                (
                    "leeway_s",
                    models.PositiveSmallIntegerField(
                        db_default=30,
                        default=30,
                        validators=[MaxValueValidator(300)],
                        verbose_name="leeway, s",
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=500, verbose_name="scope"
                    ),
                ),
                (
                    "name_claim",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=100,
                        verbose_name="name of people",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="active"),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
                (
                    "client_id",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=200,
                        verbose_name="client id",
                    ),
                ),
                (
                    "client_secret",
                    access.encryption.EncryptedField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="stored secret",
                    ),
                ),
                (
                    "sign_in_scope",
                    models.CharField(
                        blank=True,
                        db_default="openid profile email",
                        default="openid profile email",
                        max_length=500,
                        verbose_name="scope of sign-ins",
                    ),
                ),
                (
                    "introspection_url",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=500,
                        validators=[access.issuers.models.check_issuer_url],
                        verbose_name="introspection endpoint",
                    ),
                ),
                (
                    "introspection_client_id",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=200,
                        verbose_name="client id for introspection",
                    ),
                ),
                (
                    "introspection_secret",
                    access.encryption.EncryptedField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="stored secret for introspection",
                    ),
                ),
                (
                    "opaque_prefix",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=100,
                        verbose_name="beginning of opaque tokens",
                    ),
                ),
            ],
            options={
                "verbose_name": "issuer",
                "verbose_name_plural": "issuers",
                "db_table": "h_token_issuer",
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9][a-z0-9-]{0,31}$")),
                        name="h_token_issuer_name",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="IssuerRule",
            fields=[
                _ID,
                ("claim", models.CharField(max_length=200, verbose_name="claim")),
                (
                    "test",
                    models.CharField(
                        choices=[
                            ("equals", "equals"),
                            ("contains", "contains"),
                            ("matches", "matches"),
                        ],
                        max_length=20,
                        verbose_name="comparison",
                    ),
                ),
                ("value", models.CharField(max_length=500, verbose_name="value")),
                (
                    "allowed_tools",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        validators=[access.allowed_tools.check_allowed_tools],
                        verbose_name="allowed tools",
                    ),
                ),
                (
                    "toolsets",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="toolsets"
                    ),
                ),
                (
                    "builtin_groups",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="built-in groups"
                    ),
                ),
                (
                    "free_sql_sources",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="SQL of its own on"
                    ),
                ),
                (
                    "bound",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        validators=[access.issuers.models.check_bound],
                        verbose_name="facts",
                    ),
                ),
                (
                    "issuer",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="rules",
                        to="access.tokenissuer",
                        verbose_name="issuer",
                    ),
                ),
                (
                    "people_groups",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="groups of people"
                    ),
                ),
            ],
            options={
                "verbose_name": "claim rule",
                "verbose_name_plural": "claim rules",
                "db_table": "h_claim_rule",
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="IssuerPerson",
            fields=[
                _ID,
                ("subject", models.CharField(max_length=255, verbose_name="subject")),
                (
                    "last_sign_in_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="last sign-in"),
                ),
                (
                    "issuer",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="people",
                        to="access.tokenissuer",
                        verbose_name="issuer",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, to=settings.AUTH_USER_MODEL, verbose_name="user"
                    ),
                ),
            ],
            options={
                "verbose_name": "person of an issuer",
                "verbose_name_plural": "people of issuers",
                "db_table": "h_issuer_person",
                "ordering": ["issuer", "subject"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="h_issuer_person_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="KnownClient",
            fields=[
                _ID,
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("mark", models.CharField(editable=False, max_length=64)),
                ("at", models.DateTimeField(db_default=Now(), verbose_name="last sign-in")),
            ],
            options={
                "verbose_name": "known client",
                "verbose_name_plural": "known clients",
                "db_table": "h_known_client",
                "constraints": [
                    models.UniqueConstraint(fields=("username", "mark"), name="h_known_client_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="SignInAttempt",
            fields=[
                _ID,
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("address", models.CharField(max_length=45, verbose_name="address")),
                (
                    "device",
                    models.CharField(
                        db_default="", default="", max_length=64, verbose_name="device"
                    ),
                ),
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
            ],
            options={
                "verbose_name": "sign-in attempt",
                "verbose_name_plural": "sign-in attempts",
                "db_table": "h_sign_in_attempt",
                "indexes": [models.Index(fields=["at"], name="sign_in_attempt_at")],
            },
        ),
        migrations.CreateModel(
            name="EndedSession",
            fields=[
                ("number", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
            ],
            options={
                "verbose_name": "ended session",
                "verbose_name_plural": "ended sessions",
                "db_table": "h_ended_session",
                "indexes": [models.Index(fields=["at"], name="ended_session_at")],
            },
        ),
        migrations.CreateModel(
            name="ToolLimit",
            fields=[
                _ID,
                (
                    "target_type",
                    models.CharField(
                        choices=[
                            ("USER", "user"),
                            ("KEY", "key"),
                            ("TOOL", "tool"),
                            ("ALL", "everybody"),
                        ],
                        max_length=20,
                        verbose_name="for",
                    ),
                ),
                ("target_id", models.TextField(blank=True, null=True, verbose_name="who")),
                ("tool_name", models.TextField(blank=True, null=True, verbose_name="tool")),
                (
                    "max_count",
                    models.IntegerField(blank=True, null=True, verbose_name="calls a day"),
                ),
                (
                    "per_minute",
                    models.IntegerField(blank=True, null=True, verbose_name="calls a minute"),
                ),
                (
                    "at_once",
                    models.IntegerField(blank=True, null=True, verbose_name="calls at once"),
                ),
                (
                    "max_rows",
                    models.BigIntegerField(blank=True, null=True, verbose_name="rows a day"),
                ),
                (
                    "max_bytes",
                    models.BigIntegerField(blank=True, null=True, verbose_name="bytes a day"),
                ),
                (
                    "max_db_seconds",
                    models.IntegerField(
                        blank=True, null=True, verbose_name="seconds in data sources a day"
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="active"),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True, db_default=Now(), verbose_name="created"
                    ),
                ),
            ],
            options={
                "verbose_name": "limit",
                "verbose_name_plural": "limits",
                "db_table": "h_mcp_tool_limit",
                "ordering": ["target_type", "target_id", "tool_name", "id"],
            },
        ),
        migrations.CreateModel(
            name="LimitState",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("generation", models.BigIntegerField(db_default=1, default=1, editable=False)),
                (
                    "in_postgres",
                    models.BooleanField(db_default=False, default=False, editable=False),
                ),
            ],
            options={
                "verbose_name": "state of the counting",
                "verbose_name_plural": "states of the counting",
                "db_table": "h_mcp_tool_limit_state",
            },
        ),
        migrations.CreateModel(
            name="LimitCount",
            fields=[
                ("key", models.TextField(primary_key=True, serialize=False)),
                ("used", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("ends_at", models.DateTimeField(db_index=True, editable=False)),
            ],
            options={
                "verbose_name": "counted calls",
                "verbose_name_plural": "counted calls",
                "db_table": "h_mcp_tool_limit_count",
            },
        ),
        migrations.CreateModel(
            name="LimitTally",
            fields=[
                _ID,
                ("key", models.TextField(editable=False)),
                ("runtime_id", models.UUIDField(editable=False)),
                ("used", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("ends_at", models.DateTimeField(db_index=True, editable=False)),
            ],
            options={
                "verbose_name": "tally",
                "verbose_name_plural": "tallies",
                "db_table": "h_mcp_tool_limit_tally",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("key", "runtime_id"), name="h_mcp_tool_limit_tally_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RuntimeInstance",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("host", models.TextField(verbose_name="host")),
                ("pid", models.IntegerField(verbose_name="process")),
                ("version", models.TextField(verbose_name="version")),
                (
                    "revision",
                    models.BigIntegerField(
                        db_default=0, default=0, verbose_name="registry revision"
                    ),
                ),
                (
                    "tool_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="tools served"),
                ),
                (
                    "quarantined_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="quarantined"),
                ),
                ("started_at", models.DateTimeField(db_default=Now(), verbose_name="started")),
                ("last_seen_at", models.DateTimeField(db_default=Now(), verbose_name="last seen")),
                (
                    "dropped_calls",
                    models.IntegerField(db_default=0, default=0, verbose_name="calls not recorded"),
                ),
            ],
            options={
                "verbose_name": "runtime",
                "verbose_name_plural": "runtimes",
                "db_table": "h_runtime_instance",
                "ordering": ["-last_seen_at"],
            },
        ),
        migrations.CreateModel(
            name="CallRecord",
            fields=[
                _ID,
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
                ("tool_name", models.TextField(verbose_name="tool")),
                (
                    "key_id",
                    models.CharField(
                        db_default="", default="", max_length=8, verbose_name="key id"
                    ),
                ),
                ("caller", models.TextField(db_default="", default="", verbose_name="caller")),
                ("arguments", models.JSONField(null=True, verbose_name="arguments")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("ok", "ok"),
                            ("invalid_arguments", "invalid arguments"),
                            ("unknown_tool", "unknown tool"),
                            ("tool_error", "tool error"),
                            ("timeout", "time-out"),
                            ("busy", "busy"),
                            ("unavailable", "data source unavailable"),
                            ("limited", "over a limit"),
                            ("refused", "key refused"),
                            ("cancelled", "cancelled"),
                            ("internal_error", "internal error"),
                        ],
                        max_length=20,
                        verbose_name="outcome",
                    ),
                ),
                ("error", models.TextField(db_default="", default="", verbose_name="error")),
                ("error_message", models.JSONField(editable=False, null=True)),
                ("row_count", models.IntegerField(null=True, verbose_name="rows")),
                (
                    "truncated",
                    models.BooleanField(db_default=False, default=False, verbose_name="truncated"),
                ),
                ("duration_ms", models.FloatField(verbose_name="duration, ms")),
                (
                    "revision",
                    models.BigIntegerField(
                        db_default=0, default=0, verbose_name="registry revision"
                    ),
                ),
                ("runtime_id", models.UUIDField(null=True, verbose_name="runtime")),
                (
                    "request_id",
                    models.CharField(
                        db_default="", default="", max_length=128, verbose_name="request id"
                    ),
                ),
                ("number", models.BigIntegerField(editable=False, null=True)),
                ("client_name", models.TextField(db_default="", default="", verbose_name="client")),
                (
                    "client_version",
                    models.TextField(db_default="", default="", verbose_name="client version"),
                ),
                ("endpoint", models.TextField(db_default="", default="", verbose_name="endpoint")),
                (
                    "protocol",
                    models.CharField(
                        db_default="", default="", max_length=16, verbose_name="protocol"
                    ),
                ),
                (
                    "session",
                    models.CharField(
                        db_default="", default="", max_length=32, verbose_name="session"
                    ),
                ),
                (
                    "address",
                    models.CharField(
                        db_default="", default="", max_length=45, verbose_name="address"
                    ),
                ),
                (
                    "trace_id",
                    models.CharField(
                        db_default="", default="", max_length=32, verbose_name="trace id"
                    ),
                ),
                ("tool_version", models.IntegerField(null=True, verbose_name="tool version")),
                (
                    "called_as",
                    models.TextField(db_default="", default="", verbose_name="called as"),
                ),
            ],
            options={
                "verbose_name": "call",
                "verbose_name_plural": "calls",
                "db_table": "h_call_record",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="call_record_at"),
                    models.Index(fields=["tool_name", "-at"], name="call_record_tool"),
                    models.Index(
                        condition=models.Q(("outcome", "ok"), _negated=True),
                        fields=["-at", "-id", "outcome"],
                        name="call_record_failed",
                    ),
                    models.Index(
                        condition=models.Q(("called_as", ""), _negated=True),
                        fields=["tool_name", "-at"],
                        name="call_record_called_as",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("runtime_id", "number", "at"), name="call_record_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CallDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "day",
                        "tool_name",
                        "outcome",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("day", models.DateField(editable=False)),
                ("tool_name", models.TextField(editable=False)),
                ("outcome", models.CharField(editable=False, max_length=20)),
                ("calls", models.IntegerField(editable=False)),
                ("truncated", models.IntegerField(db_default=0, default=0, editable=False)),
                ("total_ms", models.FloatField(editable=False)),
            ],
            options={
                "verbose_name": "calls of a day",
                "verbose_name_plural": "calls of days",
                "db_table": "h_call_day",
            },
        ),
        migrations.CreateModel(
            name="DurationDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "tool_name",
                        "day",
                        "bucket",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("tool_name", models.TextField(editable=False)),
                ("day", models.DateField(editable=False)),
                ("bucket", models.SmallIntegerField(editable=False)),
                ("calls", models.IntegerField(editable=False)),
            ],
            options={
                "verbose_name": "durations of a day",
                "verbose_name_plural": "durations of days",
                "db_table": "h_duration_day",
            },
        ),
        migrations.CreateModel(
            name="CallerDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "day",
                        "key_id",
                        "caller",
                        "client_name",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("day", models.DateField(editable=False)),
                ("key_id", models.CharField(editable=False, max_length=8)),
                ("caller", models.TextField(editable=False)),
                ("client_name", models.TextField(editable=False)),
                ("calls", models.IntegerField(editable=False)),
                ("errors", models.IntegerField(editable=False)),
                ("total_ms", models.FloatField(editable=False)),
            ],
            options={
                "verbose_name": "caller of a day",
                "verbose_name_plural": "callers of days",
                "db_table": "h_caller_day",
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "number",
                    models.BigIntegerField(
                        editable=False, primary_key=True, serialize=False, verbose_name="number"
                    ),
                ),
                ("at", models.DateTimeField(editable=False, verbose_name="at")),
                ("actor", models.TextField(editable=False, verbose_name="who")),
                (
                    "place",
                    models.TextField(
                        choices=[
                            ("page", "page"),
                            ("back_office", "back office"),
                            ("command", "command line"),
                            ("worker", "job"),
                            ("database", "database"),
                        ],
                        editable=False,
                        verbose_name="from",
                    ),
                ),
                ("address", models.TextField(editable=False, verbose_name="address")),
                ("db_role", models.TextField(editable=False, verbose_name="database role")),
                ("kind", models.TextField(editable=False, verbose_name="table")),
                (
                    "action",
                    models.TextField(
                        choices=[
                            ("insert", "made"),
                            ("update", "changed"),
                            ("delete", "deleted"),
                            ("truncate", "emptied"),
                            ("signed_in", "signed in"),
                            ("sign_in_refused", "sign-in refused"),
                            ("signed_out", "signed out"),
                        ],
                        editable=False,
                        verbose_name="what",
                    ),
                ),
                ("target_id", models.TextField(editable=False, verbose_name="id")),
                ("target_name", models.TextField(editable=False, verbose_name="name")),
                ("before", models.JSONField(editable=False, null=True, verbose_name="before")),
                ("after", models.JSONField(editable=False, null=True, verbose_name="after")),
                ("hash", models.BinaryField()),
            ],
            options={
                "verbose_name": "audit entry",
                "verbose_name_plural": "audit trail",
                "db_table": "h_audit",
                "ordering": ["-number"],
                "indexes": [
                    models.Index(fields=["kind", "-number"], name="h_audit_kind"),
                    models.Index(fields=["actor", "-number"], name="h_audit_actor"),
                    models.Index(fields=["at"], name="h_audit_at"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("number", models.BigIntegerField(db_default=0, default=0)),
                ("hash", models.BinaryField(db_default=models.Value(b""), default=b"")),
                ("changed_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "h_audit_head",
            },
        ),
        migrations.RunSQL(sql.CALLS_BY_MONTH, migrations.RunSQL.noop),
        migrations.RunSQL(sql.NOTIFY_OF_KEYS, sql.NOTIFY_OF_NO_KEYS),
        migrations.RunSQL(sql.END_KEYS_OF_OWNERS, sql.KEEP_KEYS_OF_OWNERS),
        migrations.RunSQL(sql.TAKE_PERMITS, sql.TAKE_NO_PERMITS),
        migrations.RunSQL(sql.AUDIT_CHAIN, sql.NO_AUDIT_CHAIN),
        migrations.RunSQL(sql.REFUSE_CHANGES_OF_AUDIT, sql.ALLOW_CHANGES_OF_AUDIT),
        *(on_delete(*link) for link in sql.LINKS),
        *sql.AUDITED,
    ]
