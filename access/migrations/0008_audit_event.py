"""The audit trail: events that nobody can change or delete."""

import django.db.models.functions.datetime
from django.db import migrations, models

REFUSE_CHANGES = """
CREATE FUNCTION toolbuilder_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an event of the audit trail cannot be changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON h_audit_event
FOR EACH ROW EXECUTE FUNCTION toolbuilder_refuse_audit_change();
"""
ALLOW_CHANGES = """
DROP TRIGGER refuse_change ON h_audit_event;
DROP FUNCTION toolbuilder_refuse_audit_change();
"""


class Migration(migrations.Migration):
    dependencies = [("access", "0007_every_tool_is_written")]

    operations = [
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
        migrations.RunSQL(REFUSE_CHANGES, ALLOW_CHANGES),
    ]
