"""Calls by an old name of a tool or of a parameter say so."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0013_toolset_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="callrecord",
            name="called_as",
            field=models.TextField(db_default="", default="", verbose_name="called as"),
        ),
        migrations.AddIndex(
            model_name="callrecord",
            index=models.Index(
                fields=["tool_name", "-at"],
                condition=~Q(called_as=""),
                name="call_record_called_as",
            ),
        ),
    ]
