"""Runtimes say how many calls they could not record."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0010_roles"),
    ]

    operations = [
        migrations.AddField(
            model_name="runtimeinstance",
            name="dropped_calls",
            field=models.IntegerField(db_default=0, default=0, verbose_name="calls not recorded"),
        ),
    ]
