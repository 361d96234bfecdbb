"""A call is recorded once, however often a batch is written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0003_key_claims")]

    operations = [
        migrations.AddField(
            "callrecord", "number", models.BigIntegerField(editable=False, null=True)
        ),
        migrations.AddConstraint(
            "callrecord",
            models.UniqueConstraint(fields=["runtime_id", "number"], name="call_record_once"),
        ),
    ]
