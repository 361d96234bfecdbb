"""To note which version a tool has is no change of it: `updated_at` stays."""

from django.db import migrations

TOUCH = """
CREATE OR REPLACE TRIGGER touch_tool BEFORE UPDATE ON h_custom_tool FOR EACH ROW {condition}
EXECUTE FUNCTION toolbuilder_touch_tool();
"""
SAME_VERSION = """
WHEN ((NEW.version, NEW.content_hash) IS NOT DISTINCT FROM (OLD.version, OLD.content_hash))
"""


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0012_versions_stay")]

    operations = [
        migrations.RunSQL(TOUCH.format(condition=SAME_VERSION), TOUCH.format(condition="")),
    ]
