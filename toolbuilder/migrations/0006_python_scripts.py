"""Python tools are expressions or scripts, and the forms say so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0005_source_rights"),
    ]

    operations = [
        migrations.AlterField(
            model_name="tooldefinition",
            name="definition",
            field=models.TextField(
                help_text="A SQL query with :name parameters, a Python expression such as num1 * num2, or a script of several lines.",
                verbose_name="definition",
            ),
        ),
        migrations.AlterField(
            model_name="tooldefinition",
            name="tool_type",
            field=models.TextField(
                choices=[("SQL", "SQL query"), ("PYTHON", "Python")],
                db_default="SQL",
                default="SQL",
                verbose_name="kind",
            ),
        ),
    ]
