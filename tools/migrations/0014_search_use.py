"""What agents called after they had searched, by the concepts of their questions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tools", "0013_chart")]

    operations = [
        migrations.AddField(
            "toolsearch", "concepts", models.JSONField(db_default=[], default=list)
        ),
        migrations.CreateModel(
            "SearchUse",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("key_id", models.CharField(db_default="", default="", max_length=8)),
                ("tool_name", models.TextField()),
                ("concept", models.TextField()),
            ],
            options={
                "db_table": "h_search_use",
                "constraints": [
                    models.UniqueConstraint(
                        fields=["day", "key_id", "tool_name", "concept"],
                        name="h_search_use_once_a_day",
                    )
                ],
            },
        ),
    ]
