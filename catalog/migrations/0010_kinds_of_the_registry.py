"""The kinds of data source are those that are registered; nothing of the database changes."""

from django.db import migrations, models

import catalog.sources.models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0009_caller_identity")]

    operations = [
        migrations.AlterField(
            "DataSource",
            "engine",
            models.TextField(
                "engine",
                choices=catalog.sources.models.list_kinds,
                default="postgresql",
                db_default="postgresql",
            ),
        ),
    ]
