"""When the ready tools were loaded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0006_python_scripts"),
    ]

    operations = [
        migrations.AddField(
            model_name="registryrevision",
            name="demo_loaded_at",
            field=models.DateTimeField(null=True),
        ),
    ]
