"""How the rows of a tool are drawn as a chart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tools", "0012_description_languages")]

    operations = [
        migrations.AddField(
            "tooldefinition",
            "chart",
            models.JSONField(editable=False, null=True, verbose_name="chart"),
        ),
    ]
