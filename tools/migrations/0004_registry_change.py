"""Which tools each revision of the registry changed, so that one edited tool among thousands is read alone."""

from django.db import migrations, models

# A revision has a row for each tool that it changed, one without a tool where it may have changed any,
# and one of tool 0 where it changed none of ours. Nobody looks far back: who missed much reads all.
_LOG = """
CREATE FUNCTION toolbuilder_next_registry() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    bumped bigint;
BEGIN
    INSERT INTO h_registry_revision AS counter (id, revision) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET revision = counter.revision + 1
    RETURNING revision INTO bumped;
    IF bumped % 64 = 0 THEN
        DELETE FROM h_registry_change WHERE revision <= bumped - 512;
    END IF;
    PERFORM pg_notify('toolbuilder_registry', bumped::text);
    RETURN bumped;
END $$;

CREATE OR REPLACE FUNCTION toolbuilder_bump_registry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO h_registry_change (revision, tool_id) SELECT toolbuilder_next_registry(),
        CASE WHEN TG_TABLE_NAME IN
            ('h_mcp_server', 'h_mcp_server_tool', 'h_mcp_toolset', 'h_mcp_toolset_tool',
             'h_mcp_tool_limit', 'h_token_issuer', 'h_claim_rule')
        THEN 0 END;
    RETURN NULL;
END $$;

CREATE FUNCTION toolbuilder_log_tools() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    changed_ids bigint[];
    former_ids bigint[];
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT %I) FROM changed', TG_ARGV[0]) INTO changed_ids;
    IF changed_ids IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('SELECT array_agg(DISTINCT %I) FROM former', TG_ARGV[0]) INTO former_ids;
    END IF;
    IF cardinality(changed_ids) > 500 THEN
        changed_ids := ARRAY[NULL];
        former_ids := NULL;
    END IF;
    INSERT INTO h_registry_change (revision, tool_id)
    SELECT revision, tool_id
    FROM (SELECT toolbuilder_next_registry() AS revision OFFSET 0) AS next,
        (SELECT unnest(changed_ids) AS tool_id UNION SELECT unnest(former_ids)) AS tools;
    RETURN NULL;
END $$;
"""
_FORGET = """
DROP FUNCTION toolbuilder_log_tools();
CREATE OR REPLACE FUNCTION toolbuilder_bump_registry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM toolbuilder_next_registry();
    RETURN NULL;
END $$;
"""
_TRIGGERS = """
DROP TRIGGER bump_registry ON {table};
CREATE TRIGGER log_new AFTER INSERT ON {table} REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER log_changed AFTER UPDATE ON {table} REFERENCING OLD TABLE AS former NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER log_deleted AFTER DELETE ON {table} REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER bump_registry AFTER TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_FORMER_TRIGGERS = """
DROP TRIGGER log_new ON {table};
DROP TRIGGER log_changed ON {table};
DROP TRIGGER log_deleted ON {table};
DROP TRIGGER bump_registry ON {table};
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_TOOLS = (
    {"table": "h_custom_tool", "column": "id"},
    {"table": "h_custom_tool_param", "column": "tool_id"},
)


class Migration(migrations.Migration):
    dependencies = [("tools", "0002_toolsets")]

    operations = [
        migrations.CreateModel(
            name="RegistryChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("revision", models.BigIntegerField(db_index=True, editable=False)),
                ("tool_id", models.BigIntegerField(editable=False, null=True)),
            ],
            options={
                "db_table": "h_registry_change",
                "verbose_name": "change of a revision",
                "verbose_name_plural": "changes of revisions",
            },
        ),
        migrations.RunSQL(_LOG, _FORGET),
        *(
            migrations.RunSQL(_TRIGGERS.format(**tool), _FORMER_TRIGGERS.format(**tool))
            for tool in _TOOLS
        ),
    ]
