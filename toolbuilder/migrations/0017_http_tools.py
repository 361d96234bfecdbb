"""A tool may call an operation of an HTTP service."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0016_search_questions"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tooldefinition",
            name="tool_type",
            field=models.TextField(
                choices=[("SQL", "SQL query"), ("PYTHON", "Python"), ("HTTP", "HTTP operation")],
                db_default="SQL",
                default="SQL",
                verbose_name="kind",
            ),
        ),
    ]
