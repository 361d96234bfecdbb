"""Any write to the served rows, by whatever program, bumps the registry revision and notifies."""

from django.db import migrations

TABLES = ("h_custom_tool", "h_custom_tool_param", "h_data_source")

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

TOUCH = """
CREATE FUNCTION toolbuilder_touch_tool() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER touch_tool BEFORE UPDATE ON h_custom_tool
FOR EACH ROW EXECUTE FUNCTION toolbuilder_touch_tool();
"""


def bump_after_writes(table: str) -> str:
    return f"""
    CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
    """


def drop_trigger(table: str) -> str:
    return f"DROP TRIGGER bump_registry ON {table};"


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0001_initial"), ("catalog", "0001_initial")]

    operations = [
        migrations.RunSQL(BUMP, "DROP FUNCTION toolbuilder_bump_registry();"),
        *(migrations.RunSQL(bump_after_writes(table), drop_trigger(table)) for table in TABLES),
        migrations.RunSQL(
            TOUCH,
            "DROP TRIGGER touch_tool ON h_custom_tool; DROP FUNCTION toolbuilder_touch_tool();",
        ),
        migrations.RunSQL(
            "INSERT INTO h_registry_revision (id, revision) VALUES (1, 0) ON CONFLICT DO NOTHING;",
            migrations.RunSQL.noop,
        ),
    ]
