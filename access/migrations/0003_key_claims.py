"""Claims of a key; runtimes hear of a changed claim or owner at once."""

from django.db import migrations, models

import access.claims

RECREATE = """
DROP TRIGGER notify_changed_keys ON h_api_key;
CREATE TRIGGER notify_changed_keys AFTER UPDATE OF {columns}
ON h_api_key FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
"""
BEFORE = "digest, allowed_tools, expires_at, revoked_at"


class Migration(migrations.Migration):
    dependencies = [("access", "0002_key_trigger")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="claims",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text='Facts that bound parameters use, as in {"tenant": "KR", "level": 3}: texts, numbers, true or false, or lists of texts.',
                validators=[access.claims.check_claims],
                verbose_name="claims",
            ),
        ),
        migrations.RunSQL(
            RECREATE.format(columns=f"{BEFORE}, owner_id, claims"),
            RECREATE.format(columns=BEFORE),
        ),
    ]
