"""One audit trail, which triggers write: chained, append-only, for every program that writes."""

import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Value

from access.audit.triggers import audited

_CHAIN = """
INSERT INTO h_audit_head (id) VALUES (1);

CREATE FUNCTION toolbuilder_audit_hash(former bytea, entry h_audit) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT sha256(coalesce(former, '') || convert_to(jsonb_build_array(
        entry.number, extract(epoch FROM entry.at), entry.actor, entry.place, entry.address,
        entry.db_role, entry.kind, entry.action, entry.target_id, entry.target_name, entry.before, entry.after
    )::text, 'UTF8'))
$$;

-- The head's row is locked until the transaction ends, so that entries become visible in order. In a
-- transaction of many entries it has many versions: its place tells the newest without a look at them.
CREATE FUNCTION toolbuilder_audit_append(entry h_audit) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    who jsonb := nullif(current_setting('toolbuilder.actor', true), '');
    place tid := nullif(current_setting('toolbuilder.audit_head', true), '');
    last bigint;
    former bytea;
BEGIN
    SELECT number, hash INTO last, former FROM h_audit_head WHERE ctid = place;
    IF NOT FOUND THEN
        SELECT ctid, number, hash INTO place, last, former FROM h_audit_head WHERE id = 1 FOR UPDATE;
    END IF;
    IF NOT FOUND THEN
        -- Somebody deleted it: the check of the chain says so, and work goes on.
        INSERT INTO h_audit_head (id, number) SELECT 1, coalesce(max(number), 0) FROM h_audit
        RETURNING ctid, number, hash INTO place, last, former;
    END IF;
    entry.number := last + 1;
    entry.at := coalesce(entry.at, clock_timestamp());
    entry.actor := coalesce(entry.actor, who->>'actor', 'db:' || session_user);
    entry.place := coalesce(entry.place, who->>'place', 'database');
    entry.address := coalesce(entry.address, who->>'address', host(inet_client_addr()), '');
    entry.db_role := coalesce(entry.db_role, session_user);
    entry.target_id := coalesce(entry.target_id, '');
    entry.target_name := coalesce(entry.target_name, '');
    entry.hash := toolbuilder_audit_hash(former, entry);
    INSERT INTO h_audit SELECT entry.*;
    UPDATE h_audit_head SET number = entry.number, hash = entry.hash, changed_at = entry.at
    WHERE ctid = place RETURNING ctid INTO place;
    PERFORM set_config('toolbuilder.audit_head', place::text, true);
END $$;
REVOKE ALL ON FUNCTION toolbuilder_audit_append(h_audit) FROM PUBLIC;

-- The columns that differ from the other row's, all where there is no other; of a secret only that it is there.
CREATE FUNCTION toolbuilder_audit_columns(columns jsonb, other jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(key, CASE
        WHEN value IN ('null', '""') THEN value
        WHEN key ~ '(password|secret|token|digest)' AND key !~ '_reference$' THEN '"***"'
        ELSE regexp_replace(value::text, '://[^/@" ]+@', '://***@', 'g')::jsonb
    END)
    FROM jsonb_each(columns) WHERE other IS NULL OR value IS DISTINCT FROM other->key
$$;

CREATE FUNCTION toolbuilder_audit_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    ignored text[] := TG_ARGV[1];
    former jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - ignored END;
    present jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - ignored END;
    label text;
BEGIN
    IF former = present THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] LIKE '$1->>''%''' THEN
        label := coalesce(present, former)->>split_part(TG_ARGV[0], '''', 2);
    ELSE
        EXECUTE 'SELECT ' || TG_ARGV[0] INTO label USING coalesce(present, former);
    END IF;
    PERFORM toolbuilder_audit_append(jsonb_populate_record(NULL::h_audit, jsonb_build_object(
        'kind', TG_TABLE_NAME, 'action', lower(TG_OP), 'target_id', coalesce(present, former)->>'id',
        'target_name', label, 'before', toolbuilder_audit_columns(former, present),
        'after', toolbuilder_audit_columns(present, former))));
    RETURN NULL;
END $$;

CREATE FUNCTION toolbuilder_audit_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM toolbuilder_audit_append(jsonb_populate_record(
        NULL::h_audit, jsonb_build_object('kind', TG_TABLE_NAME, 'action', 'truncate')));
    RETURN NULL;
END $$;
"""
_NO_CHAIN = """
DROP FUNCTION toolbuilder_audit_truncate();
DROP FUNCTION toolbuilder_audit_change();
DROP FUNCTION toolbuilder_audit_columns(jsonb, jsonb);
DROP FUNCTION toolbuilder_audit_append(h_audit);
DROP FUNCTION toolbuilder_audit_hash(bytea, h_audit);
"""
_REFUSE = """
CREATE OR REPLACE FUNCTION toolbuilder_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the audit trail cannot be changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON h_audit
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_refuse_audit_change();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON h_audit_head
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_refuse_audit_change();
"""
_ALLOW = """
DROP TRIGGER refuse_change ON h_audit;
DROP TRIGGER refuse_change ON h_audit_head;
"""
_FORMER_EVENTS = """
SELECT toolbuilder_audit_append(jsonb_populate_record(NULL::h_audit, jsonb_build_object(
    'at', at, 'actor', actor, 'place', place, 'address', address, 'kind', 'h_' || target_kind,
    'action', CASE action WHEN 'key.created' THEN 'insert' WHEN 'key.deleted' THEN 'delete' ELSE 'update' END,
    'target_id', target_id, 'target_name', target_name, 'after', detail)))
FROM (SELECT * FROM h_audit_event ORDER BY id) AS events;
"""
_END = """
CREATE OR REPLACE FUNCTION toolbuilder_end_keys_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE h_api_key SET revoked_at = now() WHERE owner_id = OLD.id AND revoked_at IS NULL;
    RETURN OLD;
END $$;
"""
_FORMER_END = """
CREATE OR REPLACE FUNCTION toolbuilder_end_keys_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
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
"""
_USER = "(SELECT username FROM auth_user WHERE id = ($1->>'user_id')::integer)"
_GROUP = "(SELECT name FROM auth_group WHERE id = ($1->>'group_id')::integer)"
_RIGHT = "(SELECT codename FROM auth_permission WHERE id = ($1->>'permission_id')::integer)"
_TOOLSET = "(SELECT name FROM h_mcp_toolset WHERE id = ($1->>'toolset_id')::bigint)"
_LIMIT = "btrim(concat_ws(' ', $1->>'target_type', $1->>'target_id', $1->>'tool_name'))"


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0003_limits"),
    ]

    operations = [
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
                ("hash", models.BinaryField(db_default=Value(b""), default=b"")),
                (
                    "changed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "db_table": "h_audit_head",
            },
        ),
        migrations.RunSQL(_CHAIN, _NO_CHAIN),
        migrations.RunSQL(_FORMER_EVENTS, migrations.RunSQL.noop),
        migrations.RunSQL(_END, _FORMER_END),
        migrations.DeleteModel(name="AuditEvent"),
        migrations.RunSQL(_REFUSE, _ALLOW),
        audited("h_api_key", ignored=["last_used_at"]),
        audited("h_mcp_toolset"),
        audited("h_mcp_toolset_tool", f"concat_ws(' · ', {_TOOLSET}, $1->>'tool_name')"),
        audited("h_mcp_tool_limit", _LIMIT),
        audited("auth_user", "$1->>'username'", ignored=["last_login"]),
        audited("auth_group"),
        audited("auth_user_groups", f"concat_ws(' · ', {_USER}, {_GROUP})"),
        audited("auth_user_user_permissions", f"concat_ws(' · ', {_USER}, {_RIGHT})"),
        audited("auth_group_permissions", f"concat_ws(' · ', {_GROUP}, {_RIGHT})"),
    ]
