"""Who looks at a change of a toolset's tools before it is served."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0011_dropped_calls"),
    ]

    operations = [
        migrations.AddField(
            model_name="toolset",
            name="review",
            field=models.CharField(
                choices=[("nobody", "nobody"), ("other", "one other person")],
                db_default="nobody",
                default="nobody",
                help_text="Who approves a change of its tools before agents get it.",
                max_length=10,
                verbose_name="review",
            ),
        ),
    ]
