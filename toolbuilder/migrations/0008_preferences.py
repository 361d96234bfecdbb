"""What each person chose of the look of the pages."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0007_playground"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("layout", models.JSONField(db_default={}, default=dict, editable=False)),
                ("tables", models.JSONField(db_default=[], default=list, editable=False)),
                ("filters", models.JSONField(db_default={}, default=dict, editable=False)),
            ],
            options={"db_table": "h_preferences"},
        ),
        on_delete("CASCADE", "h_preferences", "user_id", "auth_user"),
    ]
