"""Keep the codes and values of errors beside their English texts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0018_writes_by_any_program"),
    ]

    operations = [
        migrations.AddField(
            model_name="quarantinedtool",
            name="reason_message",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="tooltrial",
            name="error_message",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
