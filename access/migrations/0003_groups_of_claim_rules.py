"""Rules on claims follow the groups of people that they give."""

from django.db import migrations

from access.migrations import sql


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0002_call_record_error_text"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunSQL(sql.FOLLOW_GROUPS, sql.FOLLOW_NO_GROUPS)]
