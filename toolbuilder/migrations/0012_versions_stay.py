"""Versions cannot be changed, and outlive a tool that any program deletes; its draft goes with it."""

from django.db import migrations

REFUSE_CHANGES = """
CREATE FUNCTION toolbuilder_refuse_version_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A deleted tool leaves its versions behind: that alone may change, and nothing beside it.
    IF NEW.tool_id IS NULL AND to_jsonb(NEW) - 'tool_id' = to_jsonb(OLD) - 'tool_id' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a version of a tool cannot be changed; publish a new one'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE ON h_custom_tool_version
FOR EACH ROW EXECUTE FUNCTION toolbuilder_refuse_version_change();
"""
ALLOW_CHANGES = """
DROP TRIGGER refuse_change ON h_custom_tool_version;
DROP FUNCTION toolbuilder_refuse_version_change();
"""

RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    WHERE conrelid = '{child}'::regclass AND confrelid = 'h_custom_tool'::regclass;
    EXECUTE format('ALTER TABLE {child} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {child} ADD CONSTRAINT %I FOREIGN KEY (tool_id) REFERENCES h_custom_tool (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""
LINKS = (
    ("h_custom_tool_draft", "ON DELETE CASCADE"),
    ("h_custom_tool_version", "ON DELETE SET NULL"),
)


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0011_drafts_and_versions")]

    operations = [
        migrations.RunSQL(REFUSE_CHANGES, ALLOW_CHANGES),
        *(
            migrations.RunSQL(
                RECREATE.format(child=child, action=action),
                RECREATE.format(child=child, action=""),
            )
            for child, action in LINKS
        ),
    ]
