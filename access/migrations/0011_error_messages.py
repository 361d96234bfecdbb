"""Keep the codes and values of errors beside their English texts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0010_known_clients"),
    ]

    operations = [
        migrations.AddField(
            model_name="callrecord",
            name="error_message",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
