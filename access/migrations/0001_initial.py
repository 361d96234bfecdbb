"""Who calls: keys, calls, sign-ins and the audit trail. Runtimes hear of changed keys, and ended owners end their keys."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import access.allowed_tools
import access.claims
from access.foreign_keys import on_delete

NOTIFY = """
CREATE FUNCTION toolbuilder_notify_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('toolbuilder_keys', '');
    RETURN NULL;
END $$;
CREATE TRIGGER notify_keys AFTER DELETE OR TRUNCATE ON h_api_key
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
CREATE TRIGGER notify_changed_keys AFTER UPDATE OF digest, allowed_tools, expires_at, revoked_at, owner_id, claims
ON h_api_key FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
"""
FORGET = "DROP FUNCTION toolbuilder_notify_keys() CASCADE;"
REFUSE_CHANGES = """
CREATE FUNCTION toolbuilder_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an event of the audit trail cannot be changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON h_audit_event
FOR EACH ROW EXECUTE FUNCTION toolbuilder_refuse_audit_change();
"""
ALLOW_CHANGES = "DROP FUNCTION toolbuilder_refuse_audit_change() CASCADE;"
END = """
CREATE FUNCTION toolbuilder_end_keys_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH ended AS (
        UPDATE h_api_key SET revoked_at = now()
        WHERE owner_id = OLD.id AND revoked_at IS NULL RETURNING key_id, name
    )
    INSERT INTO h_audit_event (actor, place, action, target_kind, target_id, target_name, detail)
    SELECT session_user, 'database', 'key.revoked', 'api_key', key_id, name,
        jsonb_build_object('reason', 'owner ' || OLD.username || ' deleted')
    FROM ended;
    RETURN OLD;
END $$;
CREATE TRIGGER end_keys_of_owner BEFORE DELETE ON auth_user
FOR EACH ROW EXECUTE FUNCTION toolbuilder_end_keys_of_owner();
CREATE FUNCTION toolbuilder_notify_changed_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Named in WHEN, these columns could not be altered by migrations of Django.
    IF OLD.is_active IS DISTINCT FROM NEW.is_active OR OLD.username IS DISTINCT FROM NEW.username THEN
        PERFORM pg_notify('toolbuilder_keys', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER notify_changed_owner AFTER UPDATE ON auth_user
FOR EACH ROW EXECUTE FUNCTION toolbuilder_notify_changed_owner();
"""
KEEP = """
DROP TRIGGER notify_changed_owner ON auth_user;
DROP FUNCTION toolbuilder_notify_changed_owner();
DROP TRIGGER end_keys_of_owner ON auth_user;
DROP FUNCTION toolbuilder_end_keys_of_owner();
"""
# Tables of Django's own, which other programs write too: child, its column, parent.
LINKS = (
    ("CASCADE", "auth_user_groups", "user_id", "auth_user"),
    ("CASCADE", "auth_user_groups", "group_id", "auth_group"),
    ("CASCADE", "auth_user_user_permissions", "user_id", "auth_user"),
    ("CASCADE", "auth_group_permissions", "group_id", "auth_group"),
    ("CASCADE", "django_admin_log", "user_id", "auth_user"),
    ("SET NULL", "h_api_key", "owner_id", "auth_user"),
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
                (
                    "started_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="started"
                    ),
                ),
                (
                    "last_seen_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="last seen",
                    ),
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
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
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
                        db_default=[],
                        default=list,
                        error_messages={
                            "blank": 'Name at least one tool, as in ["sales_by_region"], or write ["*"] for every tool.'
                        },
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
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="created",
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
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
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
            name="AuditEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
                ("actor", models.TextField(verbose_name="who")),
                (
                    "place",
                    models.TextField(
                        choices=[
                            ("page", "page"),
                            ("back_office", "back office"),
                            ("command", "command line"),
                            ("database", "database"),
                        ],
                        verbose_name="from",
                    ),
                ),
                ("address", models.TextField(db_default="", default="", verbose_name="address")),
                (
                    "action",
                    models.TextField(
                        choices=[
                            ("key.created", "made the key"),
                            ("key.changed", "changed the key"),
                            ("key.revoked", "revoked the key"),
                            ("key.deleted", "deleted the key"),
                        ],
                        verbose_name="what",
                    ),
                ),
                ("target_kind", models.TextField(editable=False)),
                ("target_id", models.TextField(verbose_name="id")),
                ("target_name", models.TextField(verbose_name="name")),
                ("detail", models.JSONField(db_default={}, default=dict, verbose_name="detail")),
            ],
            options={
                "verbose_name": "audit event",
                "verbose_name_plural": "audit trail",
                "db_table": "h_audit_event",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["target_kind", "-id"], name="audit_event_kind"),
                    models.Index(
                        fields=["target_kind", "target_id", "-id"], name="audit_event_target"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CallRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
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
            ],
            options={
                "verbose_name": "call",
                "verbose_name_plural": "calls",
                "db_table": "h_call_record",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="call_record_at"),
                    models.Index(fields=["tool_name", "-at"], name="call_record_tool"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("runtime_id", "number"), name="call_record_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="KnownClient",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("mark", models.CharField(editable=False, max_length=64)),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="last sign-in",
                    ),
                ),
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
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("address", models.CharField(max_length=45, verbose_name="address")),
                (
                    "device",
                    models.CharField(
                        db_default="", default="", max_length=64, verbose_name="device"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
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
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
            ],
            options={
                "verbose_name": "ended session",
                "verbose_name_plural": "ended sessions",
                "db_table": "h_ended_session",
                "indexes": [models.Index(fields=["at"], name="ended_session_at")],
            },
        ),
        migrations.AddIndex(
            model_name="callrecord",
            index=models.Index(
                condition=models.Q(("outcome", "ok"), _negated=True),
                fields=["-at", "-id", "outcome"],
                name="call_record_failed",
            ),
        ),
        migrations.RunSQL(NOTIFY, FORGET),
        migrations.RunSQL(REFUSE_CHANGES, ALLOW_CHANGES),
        *(on_delete(*link) for link in LINKS),
        migrations.RunSQL(END, KEEP),
    ]
