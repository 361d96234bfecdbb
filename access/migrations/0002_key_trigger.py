"""A changed or revoked key is told to every runtime at once."""

from django.db import migrations

NOTIFY = """
CREATE FUNCTION toolbuilder_notify_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('toolbuilder_keys', '');
    RETURN NULL;
END $$;
CREATE TRIGGER notify_keys AFTER DELETE OR TRUNCATE ON h_api_key
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
CREATE TRIGGER notify_changed_keys AFTER UPDATE OF digest, allowed_tools, expires_at, revoked_at
ON h_api_key FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
"""

FORGET = """
DROP TRIGGER notify_keys ON h_api_key;
DROP TRIGGER notify_changed_keys ON h_api_key;
DROP FUNCTION toolbuilder_notify_keys();
"""


class Migration(migrations.Migration):
    dependencies = [("access", "0001_initial")]

    operations = [migrations.RunSQL(NOTIFY, FORGET)]
