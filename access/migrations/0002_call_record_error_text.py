"""The texts of failed calls are found by trigrams."""

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import migrations, models
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0001_initial"),
        # It makes pg_trgm, and takes it away after this index is gone.
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="callrecord",
            index=GinIndex(
                OpClass(Upper("error"), name="gin_trgm_ops"),
                condition=models.Q(("outcome", "ok"), _negated=True),
                name="call_record_error_text",
            ),
        ),
    ]
