"""A toolset may be owned by files: its tools are then changed in these alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0012_toolset_review")]

    operations = [
        migrations.AddField(
            model_name="toolset",
            name="owned_by_files",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Its tools are changed in their files alone, by manage.py tools apply.",
                verbose_name="owned by files",
            ),
        ),
    ]
