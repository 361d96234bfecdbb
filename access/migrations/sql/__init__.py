"""What the database does by itself about keys, people, limits, calls and the audit trail."""

from access.audit.triggers import audited, name_in

# Runtimes read a key again when one of these columns changes.
NOTIFY_OF_KEYS = """
CREATE FUNCTION toolbuilder_notify_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('toolbuilder_keys', '');
    RETURN NULL;
END $$;
CREATE TRIGGER notify_keys AFTER DELETE OR TRUNCATE ON h_api_key
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
CREATE TRIGGER notify_changed_keys AFTER UPDATE OF
    digest, allowed_tools, expires_at, revoked_at, owner_id, claims, toolsets, builtin_groups,
    free_sql_sources, allowed_networks, previous_digest, previous_until
ON h_api_key FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
"""
NOTIFY_OF_NO_KEYS = "DROP FUNCTION toolbuilder_notify_keys() CASCADE;"

END_KEYS_OF_OWNERS = """
CREATE FUNCTION toolbuilder_end_keys_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE h_api_key SET revoked_at = now() WHERE owner_id = OLD.id AND revoked_at IS NULL;
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
# The rules name groups of people as other programs write them; a later group of a name would get its people.
FOLLOW_GROUPS = """
CREATE FUNCTION toolbuilder_follow_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE h_claim_rule SET people_groups = people_groups - OLD.name::text
        WHERE jsonb_typeof(people_groups) = 'array' AND people_groups ? OLD.name;
    ELSIF NEW.name <> OLD.name THEN
        UPDATE h_claim_rule SET people_groups = people_groups - OLD.name::text || to_jsonb(NEW.name)
        WHERE jsonb_typeof(people_groups) = 'array' AND people_groups ? OLD.name;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_group AFTER UPDATE OR DELETE ON auth_group
FOR EACH ROW EXECUTE FUNCTION toolbuilder_follow_group();
"""
FOLLOW_NO_GROUPS = """
DROP TRIGGER follow_group ON auth_group;
DROP FUNCTION toolbuilder_follow_group();
"""
KEEP_KEYS_OF_OWNERS = """
DROP TRIGGER notify_changed_owner ON auth_user;
DROP FUNCTION toolbuilder_notify_changed_owner();
DROP TRIGGER end_keys_of_owner ON auth_user;
DROP FUNCTION toolbuilder_end_keys_of_owner();
"""

# 0 where every window had a permit left and each gave one; the number, from 1, of the first that had
# none; -1 where PostgreSQL does not count any more. Rows are locked in the order of their keys.
TAKE_PERMITS = """
CREATE FUNCTION toolbuilder_take_permits(windows text[], most bigint[], ends timestamptz[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    over integer;
BEGIN
    PERFORM FROM h_mcp_tool_limit_state WHERE id = 1 AND in_postgres FOR SHARE;
    IF NOT FOUND THEN
        RETURN -1;
    END IF;
    INSERT INTO h_mcp_tool_limit_count (key, ends_at)
    SELECT DISTINCT * FROM unnest(windows, ends) ORDER BY 1 ON CONFLICT DO NOTHING;
    PERFORM FROM h_mcp_tool_limit_count WHERE key = ANY(windows) ORDER BY key FOR UPDATE;
    SELECT min(number) INTO over
    FROM unnest(windows, most) WITH ORDINALITY AS asked (name, permits, number)
    JOIN h_mcp_tool_limit_count AS counted ON counted.key = asked.name
    WHERE counted.used + coalesce(
        (SELECT sum(tally.used) FROM h_mcp_tool_limit_tally AS tally WHERE tally.key = asked.name), 0
    ) >= asked.permits;
    IF over IS NOT NULL THEN
        RETURN over;
    END IF;
    UPDATE h_mcp_tool_limit_count SET used = used + 1 WHERE key = ANY(windows);
    RETURN 0;
END $$;
"""
TAKE_NO_PERMITS = "DROP FUNCTION toolbuilder_take_permits(text[], bigint[], timestamptz[]);"

# Django makes no table of partitions, so the table that it made is the pattern of one. Its indexes and
# its constraint follow when the migration ends, and are then those of the partitions too. A row of any
# moment finds a place: those of no month go to the default partition.
CALLS_BY_MONTH = """
ALTER TABLE h_call_record RENAME TO h_call_record_pattern;
CREATE TABLE h_call_record (LIKE h_call_record_pattern INCLUDING DEFAULTS INCLUDING IDENTITY)
    PARTITION BY RANGE (at);
DROP TABLE h_call_record_pattern;
ALTER TABLE h_call_record ADD CONSTRAINT h_call_record_pkey PRIMARY KEY (id, at);
CREATE TABLE h_call_record_default PARTITION OF h_call_record DEFAULT;
DO $$
DECLARE
    this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
    month timestamp;
BEGIN
    FOR month IN SELECT generate_series(this_month, this_month + interval '3 months', interval '1 month')
    LOOP
        EXECUTE format(
            'CREATE TABLE h_call_record_%s PARTITION OF h_call_record FOR VALUES FROM (%L) TO (%L)',
            to_char(month, 'YYYY_MM'),
            month AT TIME ZONE 'UTC',
            (month + interval '1 month') AT TIME ZONE 'UTC'
        );
    END LOOP;
END $$;
"""

AUDIT_CHAIN = """
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
NO_AUDIT_CHAIN = """
DROP FUNCTION toolbuilder_audit_truncate();
DROP FUNCTION toolbuilder_audit_change();
DROP FUNCTION toolbuilder_audit_columns(jsonb, jsonb);
DROP FUNCTION toolbuilder_audit_append(h_audit);
DROP FUNCTION toolbuilder_audit_hash(bytea, h_audit);
"""
REFUSE_CHANGES_OF_AUDIT = """
CREATE FUNCTION toolbuilder_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the audit trail cannot be changed or deleted'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON h_audit
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_refuse_audit_change();
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON h_audit_head
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_refuse_audit_change();
"""
ALLOW_CHANGES_OF_AUDIT = "DROP FUNCTION toolbuilder_refuse_audit_change() CASCADE;"

# What a DELETE of the parent does, child, its column, parent; tables of Django's own too, which other
# programs write.
LINKS = (
    ("CASCADE", "auth_user_groups", "user_id", "auth_user"),
    ("CASCADE", "auth_user_groups", "group_id", "auth_group"),
    ("CASCADE", "auth_user_user_permissions", "user_id", "auth_user"),
    ("CASCADE", "auth_group_permissions", "group_id", "auth_group"),
    ("CASCADE", "django_admin_log", "user_id", "auth_user"),
    ("SET NULL", "h_api_key", "owner_id", "auth_user"),
    ("CASCADE", "h_mcp_toolset_tool", "toolset_id", "h_mcp_toolset"),
    ("CASCADE", "h_claim_rule", "issuer_id", "h_token_issuer"),
    ("CASCADE", "h_issuer_person", "issuer_id", "h_token_issuer"),
    ("CASCADE", "h_issuer_person", "user_id", "auth_user"),
    ("CASCADE", "h_role_grant", "user_id", "auth_user"),
    ("CASCADE", "h_role_grant", "group_id", "auth_group"),
    ("CASCADE", "h_role_grant", "toolset_id", "h_mcp_toolset"),
)

_USER = name_in("auth_user", "user_id", key="integer", label="username")
_GROUP = name_in("auth_group", "group_id", key="integer")
_PERMISSION = name_in("auth_permission", "permission_id", key="integer", label="codename")
_TOOLSET = name_in("h_mcp_toolset", "toolset_id")
AUDITED = (
    audited("h_api_key", ignored=["last_used_at"]),
    audited("h_mcp_toolset"),
    audited("h_mcp_toolset_tool", f"concat_ws(' · ', {_TOOLSET}, $1->>'tool_name')"),
    audited(
        "h_mcp_tool_limit",
        "btrim(concat_ws(' ', $1->>'target_type', $1->>'target_id', $1->>'tool_name'))",
    ),
    audited("h_token_issuer"),
    audited("h_claim_rule", "concat_ws(' ', $1->>'claim', $1->>'value')"),
    audited("h_role_grant", f"concat_ws(' · ', {_USER}, {_GROUP}, $1->>'role', {_TOOLSET})"),
    audited("auth_user", "$1->>'username'", ignored=["last_login"]),
    audited("auth_group"),
    audited("auth_user_groups", f"concat_ws(' · ', {_USER}, {_GROUP})"),
    audited("auth_user_user_permissions", f"concat_ws(' · ', {_USER}, {_PERMISSION})"),
    audited("auth_group_permissions", f"concat_ws(' · ', {_GROUP}, {_PERMISSION})"),
)
