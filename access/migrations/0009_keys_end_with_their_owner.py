"""Keys of deactivated owners stop and those of deleted ones end, at once and whichever program writes it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The owner is forgotten by the constraint, after this trigger has seen whose keys they are.
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
RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    WHERE conrelid = 'h_api_key'::regclass AND confrelid = 'auth_user'::regclass;
    EXECUTE format('ALTER TABLE h_api_key DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE h_api_key ADD CONSTRAINT %I FOREIGN KEY (owner_id) REFERENCES auth_user (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0008_audit_event"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="apikey",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                to=settings.AUTH_USER_MODEL,
                verbose_name="owner",
            ),
        ),
        migrations.RunSQL(RECREATE.format(action="ON DELETE SET NULL"), RECREATE.format(action="")),
        migrations.RunSQL(END, KEEP),
    ]
