"""A call knows the id of the request that made it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0005_sign_in_attempts")]

    operations = [
        migrations.AddField(
            "callrecord",
            "request_id",
            models.CharField(db_default="", default="", max_length=128, verbose_name="request id"),
        ),
    ]
